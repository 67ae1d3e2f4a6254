"""What runs of clients begin with: an exchange with a fresh data folder, and environments with the clients in them."""

import hashlib
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
import venv

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
NODE = ROOT / "h5" / "node_modules" / "node" / "bin" / "node"
PASSWORD = "correct-horse"
READY_WITHIN_S = 120
ENDS_WITHIN_S = 30
FUNDING_PERIOD = "funding_period_s = 28800"
# A market has no trades of before its start, and clients look at a few of the newest.
TRADES_WANTED = 10


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Exchange:
    """The process and its data, which are gone at the end; the whole demo, so that each client's day has its own pair."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="exchange-"))
        self.port, self.ops = free_port(), free_port()
        # Funding is paid each minute, so that a day of a minute or two sees it.
        markets = (ROOT / "config" / "markets.toml").read_text()
        assert FUNDING_PERIOD in markets, "the shipped funding period"
        (self.folder / "markets.toml").write_text(markets.replace(FUNDING_PERIOD, "funding_period_s = 60"))
        settings = {
            "SERVER__LISTEN": f"127.0.0.1:{self.port}",
            "SERVER__OPS_LISTEN": f"127.0.0.1:{self.ops}",
            "SERVER__ADMIN_LISTEN": "",
            "SERVER__DATA_DIR": str(self.folder / "data"),
            "FILES__MARKETS": str(self.folder / "markets.toml"),
            # A bot and whom it trades with have a contract's book for themselves.
            "HOUSE__CONTRACTS__LEVELS": "0",
            # All clients have one address, and ask for whole books many times a second.
            "API__WEIGHT_PER_MINUTE": "100000000",
            "LIMITS__CALLS_PER_MINUTE_IP": "1000000",
            "LIMITS__WEIGHT_PER_SECOND_IP": "1000000",
            "LIMITS__CALLS_PER_MINUTE_USER": "1000000",
            "LIMITS__SOCKET_OPENS_PER_IP": "1000000",
            "AUTH__ARGON_MEMORY_KIB": "1024",
        }
        binary = os.environ.get("EXCHANGE_BIN", TARGET / "debug" / "exchange")
        self.log = open(self.folder / "log", "w+")
        environment = {**os.environ, **{f"XNG__{name}": value for name, value in settings.items()}}
        self.process = subprocess.Popen([binary], cwd=ROOT, env=environment, stdout=self.log, stderr=self.log)

    def wait_open(self):
        """Until it is ready and its first market has as many trades as a client asks for."""
        end = time.monotonic() + READY_WITHIN_S
        while not (self._says(f"http://127.0.0.1:{self.ops}/readyz") and self._is_trading()):
            if self.process.poll() is not None or time.monotonic() > end:
                self.log.seek(0)
                sys.exit(f"the exchange did not start:\n{self.log.read()[-4000:]}")
            time.sleep(0.1)

    def _says(self, url):
        try:
            return urllib.request.urlopen(url, timeout=5).read().decode()
        except (urllib.error.URLError, OSError):
            return ""

    def _is_trading(self):
        trades = self._says(f"http://127.0.0.1:{self.port}/api/v3/aggTrades?symbol=BTCUSDT&limit={TRADES_WANTED}")
        return trades.count('"a":') == TRADES_WANTED

    def _post(self, path, fields, token=""):
        form = urllib.parse.urlencode(fields).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/api{path}", form, {"authorization": token})
        told = json.load(urllib.request.urlopen(request, timeout=30))
        if told["type"] != "ok":
            sys.exit(f"{path}: {told}")
        return told

    def new_key(self, name):
        """The key and secret of a user who registers by the code that is mailed, with the demo's opening balance."""
        mail = f"{name}@example.com"
        self._post("/sms_mail", {"user_string": mail, "type": "register"})
        headers = {"authorization": f"Bearer {(self.folder / 'data' / 'ops.key').read_text()}"}
        mailbox = urllib.request.Request(f"http://127.0.0.1:{self.ops}/dev/mailbox?to={mail}", headers=headers)
        code = re.search(r"\d{6}", json.load(urllib.request.urlopen(mailbox, timeout=30))[0]["text"])[0]
        self._post("/user/register", {"user_string": mail, "code": code, "password": PASSWORD, "re_password": PASSWORD})
        token = self._post("/user/login", {"user_string": mail, "password": PASSWORD})["message"]
        terms = {"label": name, "scopes": "read,trade", "pay_password": PASSWORD}
        made = self._post("/user/api_keys/create", terms, token)["data"]
        return made["api_key"], made["secret"]

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(ENDS_WITHIN_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


def environment(client):
    """The interpreter of a client's environment, which is made anew when its requirements are others."""
    wanted = HERE / f"requirements-{client}.txt"
    folder = TARGET / "clients" / client
    stamp, digest = folder / "requirements.sha256", hashlib.sha256(wanted.read_bytes()).hexdigest()
    python = folder / "bin" / "python"
    if not (stamp.exists() and stamp.read_text() == digest):
        print(f"installing {client}", flush=True)
        venv.create(folder, clear=True, with_pip=True)
        quiet = ["--quiet", "--disable-pip-version-check", "--no-input"]
        subprocess.run([python, "-m", "pip", "install", *quiet, "--requirement", wanted], check=True)
        stamp.write_text(digest)
    return python


def scripts_folder():
    """A folder with the scripts of JavaScript and the packages of their lock file, which are installed when it changed."""
    folder, source = TARGET / "clients" / "javascript", HERE / "js"
    folder.mkdir(parents=True, exist_ok=True)
    for path in source.iterdir():
        shutil.copy(path, folder)
    stamp = folder / "installed.sha256"
    digest = hashlib.sha256((source / "package-lock.json").read_bytes()).hexdigest()
    if not (stamp.exists() and stamp.read_text() == digest):
        print("installing clients of JavaScript", flush=True)
        words = ["npm", "install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", folder]
        subprocess.run(words, check=True)
        stamp.write_text(digest)
    return folder

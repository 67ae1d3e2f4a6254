#!/usr/bin/env python3
"""Real clients from PyPI, unmodified and each in an environment of its own, against the real binary.

run.py [client …]: starts the exchange on free ports with a fresh data folder, makes what environments are missing under
<target>/clients, runs <client>_client.py (what needs no key) and <client>_day.py (a bot's day with two users of its own)
of each and fails when one does. EXCHANGE_BIN names another binary than the debug build.

Unless some are named, the examples of the app's page for programs run too, and schemathesis compares the document of
calls with what is answered to requests that it makes up, good and bad.
"""

import concurrent.futures
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
CLIENTS = ["ccxt", "python-binance", "binance-connector", "binance-sdk-spot"]
CCXT_JS = "ccxt@4.5.84"
SAMPLES = ROOT / "h5" / "src" / "features" / "setting" / "samples"
# Which environment an example runs in.
SAMPLE_CLIENTS = {
    "ccxt.py": "ccxt",
    "python_binance.py": "python-binance",
    "binance_connector.py": "binance-connector",
    "ccxt.mjs": None,
    "websocket.mjs": None,
    "curl.sh": None,
}
SAMPLE_WITHIN_S = 60
# Calls that are not signed.
MARKET_DATA = "ping|time|exchangeInfo|depth|trades|historicalTrades|aggTrades|klines|uiKlines|avgPrice|ticker"
PUBLIC = rf"^/([fd]api/|sapi/v1/system/|api/v3/({MARKET_DATA}))"
FUZZ_S = 60
PASSWORD = "correct-horse"
READY_WITHIN_S = 120
ENDS_WITHIN_S = 30


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Exchange:
    """The process and its data, which are gone at the end."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="exchange-"))
        self.port, self.ops = free_port(), free_port()
        settings = {
            "SERVER__LISTEN": f"127.0.0.1:{self.port}",
            "SERVER__OPS_LISTEN": f"127.0.0.1:{self.ops}",
            "SERVER__DATA_DIR": str(self.folder / "data"),
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
        """Until it is ready and its first market trades."""
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
        return '"TRADING"' in self._says(f"http://127.0.0.1:{self.port}/api/v3/exchangeInfo?symbol=BTCUSDT")

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
    """A folder where JavaScript finds ccxt."""
    folder = TARGET / "clients" / "ccxt-js"
    stamp = folder / "installed"
    if not (stamp.exists() and stamp.read_text() == CCXT_JS):
        print("installing ccxt of JavaScript", flush=True)
        folder.mkdir(parents=True, exist_ok=True)
        words = ["npm", "install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", folder, CCXT_JS]
        subprocess.run(words, check=True)
        stamp.write_text(CCXT_JS)
    return folder


def samples(pythons, exchange):
    """Runs the examples with this exchange's addresses and a key in them; those that fail."""
    programs = {".py": None, ".mjs": [ROOT / "h5" / "node_modules" / "node" / "bin" / "node"], ".sh": ["bash", "-e"]}
    found = sorted(path.name for path in SAMPLES.iterdir())
    if found != sorted(SAMPLE_CLIENTS):
        sys.exit(f"examples and their clients differ: {found}")
    failed, folder = [], scripts_folder()
    key, secret = exchange.new_key("examples")
    for name, client in SAMPLE_CLIENTS.items():
        text = (SAMPLES / name).read_text()
        text = text.replace("https://exchange.example", f"http://127.0.0.1:{exchange.port}")
        text = text.replace("wss://exchange.example", f"ws://127.0.0.1:{exchange.port}")
        text = text.replace("YOUR_API_KEY", key).replace("YOUR_SECRET", secret)
        # Under a name that hides no module.
        script = folder / f"sample_{name}"
        script.write_text(text)
        words = programs[script.suffix] or [pythons[client], "-B"]
        ended = subprocess.run([*words, script], cwd=folder, capture_output=True, text=True, timeout=SAMPLE_WITHIN_S)
        works = ended.returncode == 0 and ended.stdout.strip() != ""
        print(f"{'ok  ' if works else 'FAIL'} example {name}", flush=True)
        if not works:
            print(ended.stdout, ended.stderr, flush=True)
            failed.append(name)
    return failed


def compared(python, exchange):
    """Runs schemathesis with all of its checks; what fails. Of signed calls one check is left out: a request that the
    document allows may still be refused there, for want of an order or of money."""
    address = f"http://127.0.0.1:{exchange.port}/openapi.json"
    keys = json.dumps([exchange.new_key("schemathesis")])
    hooks = {"API_KEYS": keys, "PYTHONPATH": str(HERE), "SCHEMATHESIS_HOOKS": "schemathesis_hooks"}
    variables = {**os.environ, **hooks, "PYTHONDONTWRITEBYTECODE": "1"}
    plain = ["--no-color", "--warnings", "off", "--continue-on-failure", "--generation-database", "none", "--seed", "1"]
    words = [python, "-m", "schemathesis.cli", "run", address, *plain, "--max-time", str(FUZZ_S)]
    signed = ["--exclude-path-regex", PUBLIC, "--exclude-checks", "positive_data_acceptance"]
    runs = {"calls without a key": ["--include-path-regex", PUBLIC], "signed calls": signed}
    piped = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    begun = {
        name: subprocess.Popen([*words, *more], cwd=exchange.folder, env=variables, **piped)
        for name, more in runs.items()
    }
    failed = []
    for name, process in begun.items():
        told = process.communicate()[0]
        works = process.returncode == 0
        cases = re.search(r"([0-9]+ generated)", told)
        print(f"{'ok  ' if works else 'FAIL'} schemathesis: {name}, {cases[1] if cases else 'no'} requests", flush=True)
        if not works:
            print(told, flush=True)
            failed.append(f"the document of {name}")
    return failed


class Client:
    """A client's scripts, run one after the other: their steps, and what they wrote."""

    def __init__(self, name, exchange, python):
        address = f"127.0.0.1:{exchange.port}"
        keys = json.dumps([exchange.new_key(f"{name}-{role}") for role in ("bot", "other")])
        self.name, self.python, self.folder = name, python, exchange.folder
        self.variables = {"BASE_URL": f"http://{address}", "WS_URL": f"ws://{address}", "API_KEYS": keys}
        self.told, self.failed, self.took_s = "", False, 0.0

    def run(self):
        began = time.monotonic()
        for part in ("client", "day"):
            script = HERE / f"{self.name.replace('-', '_')}_{part}.py"
            # Elsewhere and without compiled files: a client leaves nothing in the repository.
            words, variables = [self.python, "-B", script], {**os.environ, **self.variables}
            ended = subprocess.run(words, env=variables, cwd=self.folder, capture_output=True, text=True)
            self.told += ended.stdout
            if ended.returncode != 0:
                self.told, self.failed = self.told + ended.stderr, True
        self.took_s = time.monotonic() - began
        return self

    def row(self):
        """A line of the table."""
        works, fails = self.told.count("\nok ") + self.told.startswith("ok "), self.told.count("FAIL ")
        return f"{self.name:<20}{works:>4} steps work {fails:>3} fail {self.took_s:>6.1f} s"


def main():
    names = sys.argv[1:] or CLIENTS
    pythons = {name: environment(name) for name in names}
    exchange, failed = Exchange(), []
    try:
        exchange.wait_open()
        clients = [Client(name, exchange, pythons[name]) for name in names]
        # Side by side: they wait most of the time.
        with concurrent.futures.ThreadPoolExecutor() as pool:
            for client in pool.map(Client.run, clients):
                print(f"{client.name}:\n{client.told}", flush=True)
        if names == CLIENTS:
            failed += samples(pythons, exchange)
            failed += compared(environment("schemathesis"), exchange)
        print("\n".join(client.row() for client in clients), flush=True)
        failed += [client.name for client in clients if client.failed]
    finally:
        exchange.stop()
    if failed:
        sys.exit(f"these do not work: {', '.join(failed)}")
    print("all of them work", flush=True)


main()

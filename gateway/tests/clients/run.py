#!/usr/bin/env -S python3 -B
"""Real clients from PyPI and npm, unmodified, those of PyPI each in an environment of its own, against the real binary.

run.py [client …]: starts the exchange on free ports with a fresh data folder, makes what environments are missing under
<target>/clients, runs <client>_client.py (what needs no key), <client>_day.py (a bot's day with two users of its own) and, where there is
one, <client>_futures.py (the same users' day on a contract) of each and fails when one does. EXCHANGE_BIN names another binary than the debug build.

Unless some are named, the examples of the app's page for programs run too, and schemathesis compares the document of
calls with what is answered to requests that it makes up, good and bad.
"""

import concurrent.futures
import json
import os
import re
import subprocess
import sys
import time

from rig import HERE, NODE, ROOT, Exchange, environment, scripts_folder
from secured import Secured

# A client's scripts, the environment of PyPI that they run in, and whether the client is one of JavaScript.
CLIENTS = {
    "ccxt": ("ccxt", "ccxt", False),
    "python-binance": ("python_binance", "python-binance", False),
    "binance-connector": ("binance_connector", "binance-connector", False),
    "binance-futures-connector": ("binance_futures_connector", "binance-futures-connector", False),
    "binance-sdk-spot": ("binance_sdk_spot", "binance-sdk-spot", False),
    "binance-sdk-usds-futures": ("binance_sdk_usds_futures", "binance-sdk-usds-futures", False),
    # The same scripts: one ccxt is made of the other.
    "ccxt-js": ("ccxt", "ccxt", True),
    "binance-spot-js": ("binance_spot_js", None, True),
}
SAMPLES = ROOT / "h5" / "src" / "features" / "setting" / "samples"
# Which environment an example runs in.
SAMPLE_CLIENTS = {
    "ccxt.py": "ccxt",
    "python_binance.py": "python-binance",
    "binance_connector.py": "binance-connector",
    "binance_spot.mjs": None,
    "ccxt.mjs": None,
    "websocket.mjs": None,
    "curl.sh": None,
}
SAMPLE_WITHIN_S = 300
# Of a client that speaks TLS only.
SECURED_SAMPLES = {"binance_spot.mjs"}
# Calls that are not signed.
MARKET_DATA = "ping|time|exchangeInfo|executionRules|referencePrice|depth|trades|historicalTrades|aggTrades|"
MARKET_DATA += "klines|uiKlines|avgPrice|ticker"
CONTRACT_DATA = "ping|time|exchangeInfo|depth|trades|aggTrades|klines|continuousKlines|markPriceKlines|indexPriceKlines|"
CONTRACT_DATA += "premiumIndexKlines|premiumIndex|fundingRate|fundingInfo|ticker|openInterest|constituents"
PUBLIC = rf"^/(dapi/|sapi/v1/system/|api/v3/({MARKET_DATA})|fapi/v[123]/({CONTRACT_DATA})(/|$))"
FUZZ_S = 60


def samples(pythons, exchange, secured):
    """Runs the examples with this exchange's addresses and a key in them; those that fail."""
    programs = {".py": None, ".mjs": [NODE], ".sh": ["bash", "-e"]}
    found = sorted(path.name for path in SAMPLES.iterdir())
    if found != sorted(SAMPLE_CLIENTS):
        sys.exit(f"examples and their clients differ: {found}")
    failed, folder = [], scripts_folder()
    key, secret = exchange.new_key("examples")
    for name, client in SAMPLE_CLIENTS.items():
        text = (SAMPLES / name).read_text()
        scheme, port = ("s", secured.port) if name in SECURED_SAMPLES else ("", exchange.port)
        text = text.replace("https://exchange.example", f"http{scheme}://127.0.0.1:{port}")
        text = text.replace("wss://exchange.example", f"ws{scheme}://127.0.0.1:{port}")
        text = text.replace("YOUR_API_KEY", key).replace("YOUR_SECRET", secret)
        # Under a name that hides no module.
        script = folder / f"sample_{name}"
        script.write_text(text)
        words = programs[script.suffix] or [pythons[client], "-B"]
        trusting = {**os.environ, "NODE_EXTRA_CA_CERTS": str(secured.certificate)}
        piped = {"cwd": folder, "env": trusting, "capture_output": True, "text": True}
        ended = subprocess.run([*words, script], timeout=SAMPLE_WITHIN_S, **piped)
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

    def __init__(self, name, exchange, secured):
        keys = json.dumps([exchange.new_key(f"{name}-{role}") for role in ("bot", "other")])
        self.scripts, packages, is_javascript = CLIENTS[name]
        self.name, self.folder, self.is_javascript = name, exchange.folder, is_javascript
        self.python = environment(packages) if packages else sys.executable
        self.variables = {"API_KEYS": keys, "BASE_URL": f"http://127.0.0.1:{exchange.port}"}
        if is_javascript:
            self.variables = {"API_KEYS": keys, "BASE_URL": f"https://127.0.0.1:{secured.port}", "NODE": str(NODE)}
            self.variables |= {"LANGUAGE_OF_CLIENT": "javascript", "SCRIPTS": str(scripts_folder())}
            self.variables["NODE_EXTRA_CA_CERTS"] = str(secured.certificate)
        self.variables["WS_URL"] = self.variables["BASE_URL"].replace("http", "ws", 1)
        self.told, self.failed, self.took_s = "", False, 0.0

    def run(self):
        began = time.monotonic()
        for part in ("client", "day", "futures"):
            script = HERE / f"{self.scripts}_{part}.py"
            if self.is_javascript and part == "futures" or not script.exists():
                continue
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
    names = sys.argv[1:] or list(CLIENTS)
    # Before the exchange starts: what is missing is installed.
    pythons = {packages: environment(packages) for _, packages, _ in map(CLIENTS.get, names) if packages}
    scripts_folder()
    exchange, failed = Exchange(), []
    try:
        exchange.wait_open()
        secured = Secured(exchange.port, exchange.folder)
        clients = [Client(name, exchange, secured) for name in names]
        # Side by side: they wait most of the time.
        with concurrent.futures.ThreadPoolExecutor() as pool:
            for client in pool.map(Client.run, clients):
                print(f"{client.name}:\n{client.told}", flush=True)
        if names == list(CLIENTS):
            failed += samples(pythons, exchange, secured)
            failed += compared(environment("schemathesis"), exchange)
        print("\n".join(client.row() for client in clients), flush=True)
        failed += [client.name for client in clients if client.failed]
    finally:
        exchange.stop()
    if failed:
        sys.exit(f"these do not work: {', '.join(failed)}")
    print("all of them work", flush=True)


main()

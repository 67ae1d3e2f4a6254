"""What the clients' scripts share: where the exchange is, steps with their names, a local book and its meetings with REST.

A script is run by run.py with BASE_URL, WS_URL and, for what needs a key, API_KEYS: two new users' keys and secrets. It
uses its client as its users do: unmodified, with nothing but the addresses changed, and the time that it waits for an
answer where that is too short for a busy machine.
"""

import asyncio
import inspect
import json
import os
import sys
import time
from decimal import Decimal

BASE = os.environ["BASE_URL"]
WS = os.environ["WS_URL"]
WS_API = WS + "/ws-api/v3"
WS_FAPI = WS + "/ws-fapi/v1"
# The bot's key and secret, and those of whom it trades with.
KEYS = json.loads(os.environ.get("API_KEYS", "[]"))
SYMBOL = "BTCUSDT"
# Longer than any of these waits takes on a busy machine.
PATIENCE_S = 60
# For clients that give up sooner by themselves.
TIMEOUT_MS = PATIENCE_S * 1_000
# Ids at which stream and snapshot must have told the same book.
MEETINGS = 2

# What ccxt takes as its addresses.
CCXT_URLS = {
    "api": {
        "public": BASE + "/api/v3",
        "private": BASE + "/api/v3",
        "sapi": BASE + "/sapi/v1",
        "fapiPublic": BASE + "/fapi/v1",
        "fapiPublicV2": BASE + "/fapi/v2",
        "fapiPublicV3": BASE + "/fapi/v3",
        "fapiPrivate": BASE + "/fapi/v1",
        "fapiPrivateV2": BASE + "/fapi/v2",
        "fapiPrivateV3": BASE + "/fapi/v3",
        "dapiPublic": BASE + "/dapi/v1",
        "ws": {"spot": WS + "/ws", "linear": WS + "/ws", "ws-api": {"spot": WS_API, "linear": WS_FAPI}},
    }
}

# What python-binance takes as the time that it waits.
PATIENT = {"requests_params": {"timeout": PATIENCE_S}}

_steps = []


def address_python_binance(clients, sockets):
    """Sets the addresses on its classes, which is where it has them."""
    clients.API_URL = BASE + "/api"
    clients.MARGIN_API_URL = BASE + "/sapi"
    clients.WS_API_URL = WS_API
    clients.FUTURES_URL = BASE + "/fapi"
    clients.WS_FUTURES_URL = WS_FAPI
    sockets.STREAM_URL = WS + "/"
    sockets.FSTREAM_URL = WS + "/"


def step(function):
    """A check with a name; it passes when it ends without an exception."""
    _steps.append(function)
    return function


def run():
    """Runs all steps in order. One that fails is told, and the others go on."""
    failed = 0
    for function in _steps:
        began = time.monotonic()
        name = function.__name__.replace("_", " ")
        try:
            outcome = function()
            if inspect.isawaitable(outcome):
                asyncio.run(asyncio.wait_for(outcome, 2 * PATIENCE_S))
        except Exception as error:  # what a client raises is its own
            failed += 1
            print(f"FAIL {name}: {type(error).__name__}: {error}", flush=True)
        else:
            print(f"ok   {name} ({time.monotonic() - began:.1f} s)", flush=True)
    sys.exit(1 if failed else 0)


def equal(found, wanted, what=""):
    if found != wanted:
        raise AssertionError(f"{what}: {found!r} is not {wanted!r}")


def true(found, what):
    if not found:
        raise AssertionError(what)


def plain(levels):
    """Levels of a side as a map, whatever numbers the client made of them."""
    return {Decimal(str(level[0])): Decimal(str(level[1])) for level in levels}


class LocalBook:
    """A book kept from diffs, by the convention's rules (docs/rules/realtime.md "Public streams")."""

    def __init__(self, snapshot):
        self.bids, self.asks = plain(snapshot["bids"]), plain(snapshot["asks"])
        self.update = snapshot["lastUpdateId"]

    def follow(self, diff):
        """Applies a diff; raises at a gap."""
        if diff["u"] <= self.update:
            return
        true(diff["U"] <= self.update + 1, f"a gap: {diff['U']} after {self.update}")
        for side, changes in ((self.bids, diff["b"]), (self.asks, diff["a"])):
            for price, quantity in plain(changes).items():
                if quantity:
                    side[price] = quantity
                else:
                    side.pop(price, None)
        self.update = diff["u"]


class Meetings:
    """The books that a stream and that snapshots told, by update id: where both told one, they must be the same."""

    def __init__(self):
        self.kept, self.met = ({}, {}), set()

    def _add(self, which, update, bids, asks):
        self.kept[which][update] = (dict(bids), dict(asks))
        other = self.kept[1 - which].get(update)
        if other is not None:
            equal(self.kept[which][update], other, f"the book at {update}")
            self.met.add(update)

    def streamed(self, update, bids, asks):
        self._add(0, update, bids, asks)

    def asked(self, update, bids, asks):
        self._add(1, update, bids, asks)

    @property
    def enough(self):
        return len(self.met) >= MEETINGS


def until(holds, what, every_s=0.02):
    """Waits until something holds."""
    end = time.monotonic() + PATIENCE_S
    while not holds():
        true(time.monotonic() < end, f"not in time: {what}")
        time.sleep(every_s)


async def until_async(holds, what, every_s=0.02):
    end = time.monotonic() + PATIENCE_S
    while not holds():
        true(time.monotonic() < end, f"not in time: {what}")
        await asyncio.sleep(every_s)

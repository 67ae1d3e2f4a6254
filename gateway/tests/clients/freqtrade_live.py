#!/usr/bin/env -S python3 -B
"""freqtrade, unmodified, trades live on the demo exchange with nothing but addresses changed: stake, limit orders, and its
stop-loss on the exchange.

freqtrade_live.py [seconds]: ten minutes unless told otherwise. Fails when it ends by itself, logs an error, has not bought,
sold and left a stop-loss on the exchange, or when its own books of orders are not the exchange's.
"""

import hashlib
import hmac
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from decimal import Decimal

from rig import HERE, Exchange, environment

PAIRS = ["BTC/USDT", "ETH/USDT", "SOL/USDT", "BNB/USDT"]
STAKE_USDT = 150
LOOK_EVERY_S = 1
ENDS_WITHIN_S = 60
# Words of its log that tell of something wrong.
WRONG = (" - ERROR - ", "Traceback", "OperationalException", "Unable to place a stoploss order")


def settings(exchange, key, secret):
    base, sockets = f"http://127.0.0.1:{exchange.port}", f"ws://127.0.0.1:{exchange.port}"
    rest = {"public": f"{base}/api/v3", "private": f"{base}/api/v3", "sapi": f"{base}/sapi/v1"}
    futures = {"fapiPublic": f"{base}/fapi/v1", "dapiPublic": f"{base}/dapi/v1"}
    ws = {"ws": {"spot": f"{sockets}/ws", "ws-api": {"spot": f"{sockets}/ws-api/v3"}}}
    urls = {"urls": {"api": {**rest, **futures, **ws}}}
    pricing = {"price_side": "other", "use_order_book": True, "order_book_top": 1}
    return {
        "dry_run": False,
        "max_open_trades": len(PAIRS),
        "stake_currency": "USDT",
        "stake_amount": STAKE_USDT,
        "trading_mode": "spot",
        "timeframe": "1m",
        "unfilledtimeout": {"entry": 1, "exit": 1, "unit": "minutes"},
        "entry_pricing": pricing,
        "exit_pricing": pricing,
        "exchange": {"name": "binance", "key": key, "secret": secret, "ccxt_config": urls, "pair_whitelist": PAIRS},
        "pairlists": [{"method": "StaticPairList"}],
        "bot_name": "live",
        "initial_state": "running",
        "db_url": f"sqlite:///{exchange.folder / 'trades.sqlite'}",
        "internals": {"process_throttle_secs": 2},
    }


def asked(exchange, key, secret, path, **fields):
    """A signed look-up."""
    query = urllib.parse.urlencode({**fields, "timestamp": int(time.time() * 1000)})
    signature = hmac.new(secret.encode(), query.encode(), hashlib.sha256).hexdigest()
    address = f"http://127.0.0.1:{exchange.port}/api/v3/{path}?{query}&signature={signature}"
    request = urllib.request.Request(address, headers={"X-MBX-APIKEY": key})
    return json.load(urllib.request.urlopen(request, timeout=30))


def follow(process, seconds, look):
    """Looks until the time is over; how many stop-losses rested on the exchange at once, at most."""
    end, most = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        if process.poll() is not None:
            return None
        most = max(most, sum(order["type"] == "STOP_LOSS_LIMIT" for order in look("openOrders")))
        time.sleep(LOOK_EVERY_S)
    return most


def differences(exchange, orders):
    """What its books of orders say otherwise than the exchange; an order that is open there may have gone on since."""
    books = sqlite3.connect(exchange.folder / "trades.sqlite")
    rows = books.execute("SELECT order_id, status, filled FROM orders").fetchall()
    known = {str(order["orderId"]): order for order in orders}
    told = []
    for name, status, filled in rows:
        order = known.pop(name, None)
        if order is None:
            told.append(f"order {name} is not on the exchange")
        elif status != "open" and abs(Decimal(str(filled or 0)) - Decimal(order["executedQty"])) > Decimal("0.00000001"):
            told.append(f"order {name}: {filled} filled ({status}), the exchange says {order}")
    return told + [f"order {name} is not in its books" for name in known]


def judged(exchange, orders, most, log):
    """What went wrong; prints what happened."""
    by = {}
    for order in orders:
        kind = f"{order['side']} {order['type']} {order['status']}"
        by[kind] = by.get(kind, 0) + 1
    print("\n".join(f"{count:>5} {kind}" for kind, count in sorted(by.items())), f"\n{most:>5} stop-losses at once")

    def is_filled(order):
        return Decimal(order["executedQty"]) > 0

    wrong = [line for line in log.splitlines() if any(word in line for word in WRONG)]
    wrong += differences(exchange, orders)
    wrong += [] if any(is_filled(o) for o in orders if o["side"] == "BUY") else ["nothing was bought"]
    wrong += [] if any(is_filled(o) for o in orders if o["side"] == "SELL") else ["nothing was sold"]
    return wrong + ([] if most else ["no stop-loss rested on the exchange"])


def main():
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 600
    python = environment("freqtrade")
    exchange, wrong = Exchange(), []
    try:
        exchange.wait_open()
        key, secret = exchange.new_key("freqtrade")
        (exchange.folder / "settings.json").write_text(json.dumps(settings(exchange, key, secret)))
        (exchange.folder / "user_data").mkdir()
        words = ["-m", "freqtrade", "trade", "--config", exchange.folder / "settings.json", "--strategy", "StaysIn"]
        where = ["--strategy-path", HERE / "freqtrade", "--userdir", exchange.folder / "user_data"]
        variables = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
        with open(exchange.folder / "freqtrade.log", "w+") as log:
            piped = {"stdout": log, "stderr": subprocess.STDOUT, "cwd": exchange.folder, "env": variables}
            process = subprocess.Popen([python, *words, *where], **piped)
            most = follow(process, seconds, lambda path: asked(exchange, key, secret, path))
            if most is not None:
                process.send_signal(signal.SIGINT)
                process.wait(ENDS_WITHIN_S)
            log.seek(0)
            told = log.read()
        names = [pair.replace("/", "") for pair in PAIRS]
        orders = [order for name in names for order in asked(exchange, key, secret, "allOrders", symbol=name, limit=1000)]
        wrong = ["it ended by itself"] if most is None else judged(exchange, orders, most, told)
    finally:
        exchange.stop()
    if wrong:
        sys.exit("\n".join([told[-20_000:], *wrong]))
    print(f"freqtrade traded for {seconds} s")


main()

"""ccxt and ccxt.pro: addresses merged into the defaults; /ws/0 and SUBSCRIBE for the streams."""

import asyncio

import ccxt
import ccxt.pro
from common import BASE, KEY, QUANTITY, SECRET, WS, Meetings, equal, far_below, plain, run, step, true

PAIR = "BTC/USDT"
ADDRESSES = {
    "urls": {
        "api": {
            "public": BASE + "/api/v3",
            "private": BASE + "/api/v3",
            "sapi": BASE + "/sapi/v1",
            "fapiPublic": BASE + "/fapi/v1",
            "dapiPublic": BASE + "/dapi/v1",
            "ws": {"spot": WS + "/ws", "ws-api": {"spot": WS + "/ws-api/v3"}},
        }
    },
}
# Spot is all that is asked for here.
OPTIONS = {"fetchMarkets": {"types": ["spot"]}, "fetchCurrencies": False, "fetchMargins": False}
SETTINGS = {**ADDRESSES, "options": OPTIONS}
OWN = {**ADDRESSES, "apiKey": KEY, "secret": SECRET}
AMOUNT = float(QUANTITY)


@step
def time_and_markets():
    exchange = ccxt.binance(SETTINGS)
    true(exchange.fetch_time() > 0, "a time")
    market = exchange.load_markets()[PAIR]
    equal((market["id"], market["active"], market["precision"]["price"]), ("BTCUSDT", True, 0.01))
    equal(market["precision"]["amount"], 0.00001)


@step
def every_public_call():
    exchange = ccxt.binance(SETTINGS)
    equal(exchange.fetch_ticker(PAIR)["symbol"], PAIR)
    equal(sorted(exchange.fetch_tickers([PAIR, "ETH/USDT"])), [PAIR, "ETH/USDT"])
    true(len(exchange.fetch_tickers()) > 1, "all markets")
    true(exchange.fetch_bids_asks([PAIR])[PAIR]["bid"] > 0, "a bid")
    true(exchange.fetch_last_prices([PAIR])[PAIR]["price"] > 0, "a price")
    book = exchange.fetch_order_book(PAIR, 5)
    equal((len(book["bids"]), len(book["asks"])), (5, 5))
    true(book["nonce"] > 0, "an update id")
    equal(len(exchange.fetch_trades(PAIR, limit=3)), 3)
    candles = exchange.fetch_ohlcv(PAIR, "1h", limit=3)
    equal((len(candles), candles[1][0] - candles[0][0]), (3, 3_600_000))
    since = exchange.fetch_ohlcv(PAIR, "1m", since=candles[0][0], limit=2)
    equal(since[0][0], candles[0][0], "candles begin where they are asked to")


@step
async def every_stream():
    exchange = ccxt.pro.binance(SETTINGS)
    try:
        await exchange.load_markets()
        watched = await asyncio.gather(
            exchange.watch_ticker(PAIR),
            exchange.watch_tickers([PAIR, "ETH/USDT"], {"name": "miniTicker"}),
            exchange.watch_bids_asks([PAIR]),
            exchange.watch_trades(PAIR),
            exchange.watch_trades(PAIR, params={"name": "aggTrade"}),
            exchange.watch_ohlcv(PAIR, "1m"),
            exchange.watch_ohlcv(PAIR, "1d", params={"timezone": "+08:00"}),
            exchange.watch_order_book(PAIR),
        )
        true(all(watched), "each told something")
        true(PAIR in await exchange.watch_tickers(), "all tickers")
    finally:
        await exchange.close()


@step
async def its_book_is_that_of_rest_while_orders_come_and_go():
    exchange, meetings = ccxt.pro.binance(SETTINGS), Meetings()
    try:
        await exchange.load_markets()

        async def snapshots():
            while not meetings.enough:
                book = await exchange.fetch_order_book(PAIR, 1000)
                meetings.asked(book["nonce"], plain(book["bids"]), plain(book["asks"]))
                await asyncio.sleep(0.02)

        async def diffs():
            while not meetings.enough:
                book = await exchange.watch_order_book(PAIR)
                meetings.streamed(book["nonce"], plain(book["bids"]), plain(book["asks"]))

        await asyncio.gather(snapshots(), diffs())
    finally:
        await exchange.close()


def refused(kind, call):
    """That ccxt raises its own error of this kind."""
    try:
        call()
    except kind:
        return
    raise AssertionError(f"no {kind.__name__}")


@step
def markets_load_with_a_key_and_no_options():
    exchange = ccxt.binance(OWN)
    true(exchange.load_markets()[PAIR]["spot"], "a market")
    true("USDT" in exchange.currencies, "a currency")


@step
def an_order_is_placed_changed_and_cancelled():
    exchange = ccxt.binance(OWN)
    true(exchange.fetch_balance()["USDT"]["free"] > 0, "money")
    price = float(far_below(exchange.fetch_ticker(PAIR)["last"]))
    placed = exchange.create_order(PAIR, "limit", "buy", AMOUNT, price)
    equal((placed["status"], placed["price"], placed["amount"]), ("open", price, AMOUNT))
    equal([order["id"] for order in exchange.fetch_open_orders(PAIR)], [placed["id"]])
    changed = exchange.edit_order(placed["id"], PAIR, "limit", "buy", AMOUNT, price - 1)
    equal(exchange.fetch_order(placed["id"], PAIR)["status"], "canceled")
    equal(exchange.fetch_order(changed["id"], PAIR)["price"], price - 1)
    exchange.cancel_order(changed["id"], PAIR)
    equal(exchange.fetch_open_orders(PAIR), [])
    exchange.create_order(PAIR, "limit", "buy", AMOUNT, price, {"postOnly": True})
    equal(len(exchange.cancel_all_orders(PAIR)), 1)
    exchange.create_order(PAIR, "market", "buy", AMOUNT, None, {"test": True})


@step
def a_filled_order_is_in_every_history():
    exchange = ccxt.binance(OWN)
    filled = exchange.create_order(PAIR, "market", "buy", AMOUNT)
    equal((filled["status"], filled["filled"]), ("closed", AMOUNT))
    true(filled["id"] in [order["id"] for order in exchange.fetch_closed_orders(PAIR)], "among the closed ones")
    trades = exchange.fetch_order_trades(filled["id"], PAIR)
    equal(round(sum(trade["amount"] for trade in trades), 8), AMOUNT)
    true(all(trade["fee"]["cost"] > 0 for trade in trades), "fees")
    true({trade["id"] for trade in trades} <= {trade["id"] for trade in exchange.fetch_my_trades(PAIR)}, "own trades")
    true(exchange.fetch_trading_fees()[PAIR]["taker"] > 0, "a fee")


@step
def refusals_are_its_own_errors():
    exchange = ccxt.binance(OWN)
    last = exchange.fetch_ticker(PAIR)["last"]
    price = float(far_below(last))
    refused(ccxt.InsufficientFunds, lambda: exchange.create_order(PAIR, "limit", "buy", 50, price))
    refused(ccxt.OrderNotFound, lambda: exchange.cancel_order("1", PAIR))
    refused(ccxt.OrderNotFound, lambda: exchange.fetch_order("1", PAIR))
    through = round(last * 1.05, 2)
    post = {"postOnly": True}
    refused(ccxt.OrderImmediatelyFillable, lambda: exchange.create_order(PAIR, "limit", "buy", AMOUNT, through, post))
    exchange.secret = "x" * 64
    refused(ccxt.AuthenticationError, exchange.fetch_balance)


@step
async def own_orders_and_balances_stream():
    exchange = ccxt.pro.binance({**OWN, "options": OPTIONS})
    try:
        await exchange.load_markets()
        last = (await exchange.fetch_ticker(PAIR))["last"]
        orders = asyncio.create_task(exchange.watch_orders(PAIR))
        balances = asyncio.create_task(exchange.watch_balance())
        # Both have subscribed by then.
        await asyncio.sleep(2)
        placed = await exchange.create_order_ws(PAIR, "limit", "buy", AMOUNT, float(far_below(last)))
        equal([order["id"] for order in await asyncio.wait_for(orders, 30)], [placed["id"]])
        true((await asyncio.wait_for(balances, 30))["USDT"]["used"] > 0, "money is locked")
        following = asyncio.create_task(exchange.watch_orders(PAIR))
        await exchange.cancel_order_ws(placed["id"], PAIR)
        equal((await asyncio.wait_for(following, 30))[-1]["status"], "canceled")
    finally:
        await exchange.close()


run()

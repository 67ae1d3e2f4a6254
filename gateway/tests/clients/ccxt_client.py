"""ccxt and ccxt.pro: addresses merged into the defaults; /ws/0 and SUBSCRIBE for the streams."""

import asyncio

import ccxt_binance
from common import CCXT_URLS, TIMEOUT_MS, Meetings, equal, plain, run, step, true

PAIR = "BTC/USDT"
SETTINGS = {
    "urls": CCXT_URLS,
    "timeout": TIMEOUT_MS,
    # Spot is all that is asked for here.
    "options": {"fetchMarkets": {"types": ["spot"]}, "fetchCurrencies": False, "fetchMargins": False},
}


@step
def time_and_markets():
    exchange = ccxt_binance.rest(SETTINGS)
    true(exchange.fetch_time() > 0, "a time")
    market = exchange.load_markets()[PAIR]
    equal((market["id"], market["active"], market["precision"]["price"]), ("BTCUSDT", True, 0.01))
    equal(market["precision"]["amount"], 0.00001)


@step
def every_public_call():
    exchange = ccxt_binance.rest(SETTINGS)
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
    exchange = ccxt_binance.pro(SETTINGS)
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
        # Each tells of what changed alone.
        while PAIR not in await exchange.watch_tickers():
            pass
    finally:
        await exchange.close()


@step
async def its_book_is_that_of_rest_while_orders_come_and_go():
    exchange, meetings = ccxt_binance.pro(SETTINGS), Meetings()
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


run()

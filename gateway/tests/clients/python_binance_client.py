"""python-binance: addresses set on its classes before anything is made of them."""

import asyncio

from binance.async_client import AsyncClient
from binance.base_client import BaseClient
from binance.client import Client
from binance.ws.depthcache import DepthCacheManager
from binance.ws.streams import BinanceSocketManager
from common import PATIENT, SYMBOL, LocalBook, Meetings, address_python_binance, equal, plain, run, step, true

address_python_binance(BaseClient, BinanceSocketManager)


@step
def time_and_markets():
    client = Client(**PATIENT)
    equal(client.ping(), {})
    true(client.get_server_time()["serverTime"] > 0, "a time")
    true(len(client.get_exchange_info()["symbols"]) > 1, "markets")
    equal(client.get_symbol_info(SYMBOL)["baseAsset"], "BTC")


@step
def every_public_call():
    client = Client(**PATIENT)
    depth = client.get_order_book(symbol=SYMBOL, limit=5)
    equal((len(depth["bids"]), len(depth["asks"])), (5, 5))
    true(client.get_recent_trades(symbol=SYMBOL, limit=3)[0]["id"] > 0, "a trade")
    newest = client.get_aggregate_trades(symbol=SYMBOL, limit=3)
    equal(len(newest), 3)
    following = client.aggregate_trade_iter(SYMBOL, last_id=newest[0]["a"])
    equal(next(following)["a"], newest[1]["a"], "aggregates go on behind an id")
    for call in (client.get_klines, client.get_ui_klines):
        equal(len(call(symbol=SYMBOL, interval="1m", limit=2)[0]), 12)
    hours = client.get_historical_klines(SYMBOL, "1h", "1 day ago UTC")
    true(23 <= len(hours) <= 25, f"{len(hours)} candles of a day")
    equal(client.get_avg_price(symbol=SYMBOL)["mins"], 5)
    equal(client.get_ticker(symbol=SYMBOL)["symbol"], SYMBOL)
    equal(client.get_symbol_ticker(symbol=SYMBOL)["symbol"], SYMBOL)
    equal(client.get_symbol_ticker_window(symbol=SYMBOL, windowSize="1h")["symbol"], SYMBOL)
    equal(client.get_orderbook_ticker(symbol=SYMBOL)["symbol"], SYMBOL)
    true(len(client.get_all_tickers()) > 1, "all markets")
    true(len(client.get_orderbook_tickers()) > 1, "all markets")


async def first(socket):
    async with socket as stream:
        return await asyncio.wait_for(stream.recv(), 30)


async def names_of(socket, count):
    told = set()
    async with socket as stream:
        while len(told) < count:
            told.add((await asyncio.wait_for(stream.recv(), 30))["stream"])
    return told


@step
async def every_stream():
    client = await AsyncClient.create(**PATIENT)
    try:
        manager = BinanceSocketManager(client)
        wanted = {
            "trade": manager.trade_socket(SYMBOL),
            "aggTrade": manager.aggtrade_socket(SYMBOL),
            "kline": manager.kline_socket(SYMBOL, "1m"),
            "24hrMiniTicker": manager.symbol_miniticker_socket(SYMBOL),
            "24hrTicker": manager.symbol_ticker_socket(SYMBOL),
            "depthUpdate": manager.depth_socket(SYMBOL, interval=100),
        }
        names = ["btcusdt@avgPrice", "!ticker_1h@arr", "btcusdt@kline_1d@+08:00"]
        # All at once: each takes its time to close.
        *frames, levels, best, tickers, told = await asyncio.gather(
            *(first(socket) for socket in wanted.values()),
            first(manager.depth_socket(SYMBOL, depth="5")),
            first(manager.symbol_book_ticker_socket(SYMBOL)),
            first(manager.ticker_socket()),
            names_of(manager.multiplex_socket(names), len(names)),
        )
        equal([frame["e"] for frame in frames], list(wanted))
        equal(len(levels["bids"]), 5)
        true("e" not in best, "best prices have no type")
        # Those that changed: which ones is chance.
        true({ticker["e"] for ticker in tickers} == {"24hrTicker"}, "all tickers")
        equal(told, set(names))
    finally:
        await client.close_connection()


@step
async def its_depth_cache_is_the_book_of_rest_while_orders_come_and_go():
    client, meetings = await AsyncClient.create(**PATIENT), Meetings()
    try:

        async def snapshots():
            while not meetings.enough:
                now = LocalBook(await client.get_order_book(symbol=SYMBOL, limit=1000))
                meetings.asked(now.update, now.bids, now.asks)
                await asyncio.sleep(0.02)

        async def diffs():
            async with DepthCacheManager(client, SYMBOL, limit=1000, conv_type=str, ws_interval=100) as cache:
                while not meetings.enough:
                    await cache.recv()
                    book = cache.get_depth_cache()
                    meetings.streamed(cache._last_update_id, plain(book.get_bids()), plain(book.get_asks()))

        await asyncio.gather(snapshots(), diffs())
    finally:
        await client.close_connection()


run()

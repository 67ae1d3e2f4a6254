"""binance-sdk-spot, the official one: typed REST, and streams on a bare /stream with texts as ids."""

import asyncio

from binance_common.configuration import ConfigurationRestAPI, ConfigurationWebSocketStreams
from binance_sdk_spot.spot import Spot
from common import BASE, SYMBOL, TIMEOUT_MS, WS, LocalBook, Meetings, equal, run, step, true, until_async

client = Spot(config_rest_api=ConfigurationRestAPI(api_key="", api_secret="", base_path=BASE, timeout=TIMEOUT_MS))
rest = client.rest_api


@step
def time_and_markets():
    rest.ping()
    true(rest.time().data().server_time > 0, "a time")
    info = rest.exchange_info(symbol=SYMBOL).data().symbols[0]
    equal((info.symbol, info.base_asset), (SYMBOL, "BTC"))


@step
def every_public_call():
    depth = rest.depth(SYMBOL, limit=5).data()
    equal((len(depth.bids), len(depth.asks)), (5, 5))
    true(rest.get_trades(SYMBOL, limit=3).data()[0].id > 0, "a trade")
    equal(len(rest.agg_trades(SYMBOL, limit=3).data()), 3)
    for call in (rest.klines, rest.ui_klines):
        equal(len(call(SYMBOL, "1m", limit=2).data()[0]), 12)
    equal(rest.avg_price(SYMBOL).data().mins, 5)
    for call in (rest.ticker24hr, rest.ticker_price, rest.ticker_book_ticker, rest.ticker, rest.ticker_trading_day):
        equal(call(symbol=SYMBOL).data().actual_instance.symbol, SYMBOL, call.__name__)


def sockets():
    return Spot(config_ws_streams=ConfigurationWebSocketStreams(stream_url=WS)).websocket_streams


@step
async def every_stream():
    streams, seen = sockets(), {}
    await streams.create_connection()
    try:
        low = SYMBOL.lower()
        asked = {
            "aggregates": streams.agg_trade(low),
            "trades": streams.trade(low),
            "candles": streams.kline(low, "1m"),
            "candles of UTC+8": streams.kline_offset(low, "1d"),
            "mini ticker": streams.mini_ticker(low),
            "ticker": streams.ticker(low),
            "window": streams.rolling_window_ticker(low, "1h"),
            "best prices": streams.book_ticker(low),
            "average": streams.avg_price(low),
            "levels": streams.partial_book_depth(low, "5"),
            "levels, named with their speed": streams.partial_book_depth(low, "20", update_speed="100ms"),
            "diffs": streams.diff_book_depth(low),
            "all mini tickers": streams.all_mini_ticker(),
            "all windows": streams.all_market_rolling_window_ticker("4h"),
        }
        for name, subscription in asked.items():
            handle = await subscription
            handle.on("message", lambda data, name=name: seen.setdefault(name, data))
            # A connection sends five frames a second.
            await asyncio.sleep(0.25)
        await until_async(lambda: set(asked) <= set(seen), f"every stream, not only {sorted(seen)}")
        listed = await streams.list_subscribe()
        true(listed, "subscriptions are listed")
    finally:
        await streams.close_connection()


@step
async def a_local_book_is_that_of_rest_while_orders_come_and_go():
    streams, diffs, meetings = sockets(), [], Meetings()
    await streams.create_connection()
    try:
        handle = await streams.diff_book_depth(SYMBOL.lower(), update_speed="100ms")
        handle.on("message", lambda data: diffs.append(data.to_dict()))
        await until_async(lambda: diffs, "the first diff")

        async def snapshot():
            answer = await asyncio.to_thread(rest.depth, SYMBOL, limit=1000)
            data = answer.data()
            return LocalBook({"lastUpdateId": data.last_update_id, "bids": data.bids, "asks": data.asks})

        book = await snapshot()
        while not meetings.enough:
            while diffs:
                book.follow(diffs.pop(0))
                meetings.streamed(book.update, book.bids, book.asks)
            now = await snapshot()
            meetings.asked(now.update, now.bids, now.asks)
            await asyncio.sleep(0.02)
    finally:
        await streams.close_connection()


run()

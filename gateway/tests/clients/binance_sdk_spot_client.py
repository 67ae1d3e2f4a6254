"""binance-sdk-spot, the official one: typed REST, and streams on a bare /stream with texts as ids."""

import asyncio

from binance_common.configuration import (
    ConfigurationRestAPI,
    ConfigurationWebSocketAPI,
    ConfigurationWebSocketStreams,
)
from binance_sdk_spot.spot import Spot
from common import (
    BASE,
    KEY,
    QUANTITY,
    SECRET,
    SYMBOL,
    TRADED,
    WS,
    LocalBook,
    Meetings,
    equal,
    far_below,
    run,
    step,
    true,
    until_async,
)

client = Spot(config_rest_api=ConfigurationRestAPI(api_key=KEY, api_secret=SECRET, base_path=BASE))
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


def resting():
    """A limit order that rests, as parameters."""
    price = far_below(rest.ticker_price(symbol=TRADED).data().actual_instance.price)
    return {
        "symbol": TRADED,
        "side": "BUY",
        "type": "LIMIT",
        "time_in_force": "GTC",
        "quantity": float(QUANTITY),
        "price": float(price),
    }


@step
def an_order_is_placed_found_and_cancelled():
    true(rest.get_account().data().can_trade, "it may trade")
    placed = rest.new_order(**resting()).data()
    equal(placed.status, "NEW")
    equal(rest.get_order(TRADED, order_id=placed.order_id).data().status, "NEW")
    equal([row.order_id for row in rest.get_open_orders(TRADED).data()], [placed.order_id])
    equal(rest.delete_order(TRADED, order_id=placed.order_id).data().status, "CANCELED")


@step
def a_filled_order_is_in_every_history():
    filled = rest.new_order(symbol=TRADED, side="BUY", type="MARKET", quantity=float(QUANTITY)).data()
    equal(filled.status, "FILLED")
    true(filled.order_id in [row.order_id for row in rest.all_orders(TRADED).data()], "among all orders")
    trades = [row.id for row in rest.my_trades(TRADED, order_id=filled.order_id).data()]
    equal(trades, [fill.trade_id for fill in filled.fills])


@step
async def orders_and_own_events_by_websocket():
    settings = ConfigurationWebSocketAPI(api_key=KEY, api_secret=SECRET, stream_url=WS + "/ws-api/v3")
    api, events = Spot(config_ws_api=settings).websocket_api, []
    await api.create_connection()
    try:
        subscription = await api.user_data_stream_subscribe_signature()
        subscription.stream.on("message", lambda data: events.append(data.actual_instance))
        order = await asyncio.to_thread(resting)
        placed = (await api.order_place(**order)).data().result
        await api.order_cancel(symbol=TRADED, order_id=placed.order_id)

        def told():
            reports = [event for event in events if getattr(event, "x", None) and event.i == placed.order_id]
            return [event.x for event in reports]

        await until_async(lambda: told() == ["NEW", "CANCELED"], "both events")
    finally:
        await api.close_connection()


run()

"""binance-connector 3: REST with everything in the query, streams by SUBSCRIBE on raw and combined connections."""

import json

from binance.spot import Spot
from binance.websocket.spot.websocket_stream import SpotWebsocketStreamClient
from common import BASE, SYMBOL, WS, LocalBook, Meetings, equal, run, step, true, until

client = Spot(base_url=BASE)


@step
def time_and_markets():
    equal(client.ping(), {})
    true(client.time()["serverTime"] > 0, "a time")
    info = client.exchange_info(symbol=SYMBOL)["symbols"][0]
    equal((info["symbol"], info["filters"][0]["filterType"]), (SYMBOL, "PRICE_FILTER"))


@step
def every_public_call():
    depth = client.depth(SYMBOL, limit=5)
    equal((len(depth["bids"]), len(depth["asks"])), (5, 5))
    true(client.trades(SYMBOL, limit=3)[0]["isBestMatch"], "a trade")
    equal(len(client.agg_trades(SYMBOL, limit=3)), 3)
    for call in (client.klines, client.ui_klines):
        equal(len(call(SYMBOL, "1m", limit=2)[0]), 12)
    equal(client.avg_price(SYMBOL)["mins"], 5)
    equal(client.ticker_24hr(SYMBOL)["symbol"], SYMBOL)
    equal(len(client.ticker_24hr(symbols=[SYMBOL, "ETHUSDT"])), 2)
    equal(client.ticker_price(SYMBOL)["symbol"], SYMBOL)
    true(len(client.book_ticker()) > 1, "all markets")
    equal(client.rolling_window_ticker(SYMBOL, windowSize="1h")["symbol"], SYMBOL)
    equal(client.trading_day_ticker(SYMBOL)["symbol"], SYMBOL)


def opened(is_combined):
    """A client of the streams, and what came."""
    seen, problems = {}, []

    def heard(_, text):
        frame = json.loads(text)
        if "error" in frame:
            problems.append(frame)
        elif is_combined and "stream" in frame:
            seen.setdefault(frame["stream"], frame["data"])
        elif not is_combined:
            first = frame[0] if isinstance(frame, list) else frame
            kind = first.get("e") or ("bookTicker" if "u" in first else "partial" if "bids" in first else "answer")
            seen.setdefault(kind, frame)

    sockets = SpotWebsocketStreamClient(stream_url=WS, on_message=heard, is_combined=is_combined)
    return sockets, seen, problems


def subscribe(sockets):
    """Every stream, in two frames: an address sends five a second."""
    low = SYMBOL.lower()
    singles = ["aggTrade", "trade", "kline_1m", "kline_1d@+08:00", "miniTicker", "ticker", "bookTicker", "avgPrice"]
    windows = [f"ticker_{window}" for window in ("1h", "4h", "1d")]
    books = ["depth", "depth@100ms", "depth5", "depth10@100ms", "depth20@1000ms"]
    arrays = ["!miniTicker@arr"] + [f"!ticker_{window}@arr" for window in ("1h", "4h", "1d")]
    names = [f"{low}@{kind}" for kind in singles + windows + books] + arrays
    sockets.subscribe(names[:10])
    sockets.subscribe(names[10:])
    return names


@step
def every_stream_of_a_combined_connection():
    sockets, seen, problems = opened(True)
    try:
        names = subscribe(sockets)
        until(lambda: set(names) <= set(seen), "every stream told something")
        equal(problems, [])
    finally:
        sockets.stop()


@step
def every_kind_of_event_on_a_raw_connection():
    sockets, seen, problems = opened(False)
    try:
        subscribe(sockets)
        kinds = "aggTrade trade kline 24hrMiniTicker 24hrTicker 1hTicker 4hTicker 1dTicker avgPrice depthUpdate bookTicker"
        until(lambda: {*kinds.split(), "partial", "answer"} <= set(seen), "every kind")
        equal(problems, [])
    finally:
        sockets.stop()


@step
def a_local_book_is_that_of_rest_while_orders_come_and_go():
    diffs, meetings = [], Meetings()
    sockets = SpotWebsocketStreamClient(stream_url=WS, on_message=lambda _, text: diffs.append(json.loads(text)))
    try:
        sockets.diff_book_depth(symbol=SYMBOL, speed=100)
        until(lambda: any("u" in diff for diff in diffs), "the first diff")
        book = LocalBook(client.depth(SYMBOL, limit=1000))

        def follow():
            while diffs:
                diff = diffs.pop(0)
                if "u" in diff:
                    book.follow(diff)
                    meetings.streamed(book.update, book.bids, book.asks)
            now = LocalBook(client.depth(SYMBOL, limit=1000))
            meetings.asked(now.update, now.bids, now.asks)
            return meetings.enough

        until(follow, "stream and snapshot meet")
    finally:
        sockets.stop()


run()

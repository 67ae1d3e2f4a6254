"""binance-connector 3: REST with everything in the query, streams by SUBSCRIBE on raw and combined connections."""

import json

from binance.error import ClientError
from binance.spot import Spot
from binance.websocket.spot.websocket_api import SpotWebsocketAPIClient
from binance.websocket.spot.websocket_stream import SpotWebsocketStreamClient
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
    until,
)

client = Spot(base_url=BASE)
own = Spot(KEY, SECRET, base_url=BASE)


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


def resting():
    """A limit order that rests, as parameters."""
    price = far_below(client.ticker_price(TRADED)["price"])
    return {"side": "BUY", "type": "LIMIT", "timeInForce": "GTC", "quantity": QUANTITY, "price": price}


@step
def an_order_is_placed_found_replaced_and_cancelled():
    equal(own.account()["canTrade"], True)
    order = resting()
    equal(own.new_order_test(TRADED, **order), {})
    placed = own.new_order(TRADED, **order)
    equal(placed["status"], "NEW")
    equal(own.get_order(TRADED, orderId=placed["orderId"])["status"], "NEW")
    kept = {name: value for name, value in order.items() if name not in ("side", "type")}
    both = own.cancel_and_replace(TRADED, "BUY", "LIMIT", "STOP_ON_FAILURE", cancelOrderId=placed["orderId"], **kept)
    equal((both["cancelResult"], both["newOrderResult"]), ("SUCCESS", "SUCCESS"))
    replaced = both["newOrderResponse"]["orderId"]
    equal([row["orderId"] for row in own.get_open_orders(TRADED)], [replaced])
    equal(own.cancel_order(TRADED, orderId=replaced)["status"], "CANCELED")
    try:
        own.cancel_order(TRADED, orderId=replaced)
        raise AssertionError("it was cancelled twice")
    except ClientError as error:
        equal((error.error_code, error.error_message), (-2011, "Unknown order sent."))


@step
def a_filled_order_is_in_every_history():
    filled = own.new_order(TRADED, side="BUY", type="MARKET", quantity=QUANTITY)
    equal(filled["status"], "FILLED")
    true(filled["orderId"] in [row["orderId"] for row in own.get_orders(TRADED)], "among all orders")
    trades = [row["id"] for row in own.my_trades(TRADED, orderId=filled["orderId"])]
    equal(trades, [fill["tradeId"] for fill in filled["fills"]])
    true(own.historical_trades(TRADED, limit=3), "older trades")
    true(own.get_order_rate_limit(), "limits of orders")
    equal(own.query_commission_rates(TRADED)["symbol"], TRADED)


@step
def own_orders_stream_by_a_listen_key():
    key, events = own.new_listen_key()["listenKey"], []
    sockets = SpotWebsocketStreamClient(stream_url=WS, on_message=lambda _, text: events.append(json.loads(text)))
    try:
        sockets.user_data(listen_key=key)
        until(lambda: any("result" in event for event in events), "the subscription")
        placed = own.new_order(TRADED, **resting())
        own.cancel_order(TRADED, orderId=placed["orderId"])

        def told():
            reports = [event for event in events if event.get("e") == "executionReport"]
            return [event["x"] for event in reports if event["i"] == placed["orderId"]]

        until(lambda: told() == ["NEW", "CANCELED"], "both events")
        equal(own.renew_listen_key(key), {})
        equal(own.close_listen_key(key), {})
    finally:
        sockets.stop()


@step
def orders_by_websocket():
    answers = {}

    def heard(_, text):
        answer = json.loads(text)
        answers[answer["id"]] = answer

    address = WS + "/ws-api/v3"
    socket = SpotWebsocketAPIClient(stream_url=address, api_key=KEY, api_secret=SECRET, on_message=heard)
    try:
        socket.account(id="account")
        socket.new_order(symbol=TRADED, id="order", newOrderRespType="RESULT", **resting())
        until(lambda: {"account", "order"} <= set(answers), "both answers")
        equal([answers[name]["status"] for name in ("account", "order")], [200, 200])
        placed = answers["order"]["result"]["orderId"]
        socket.cancel_order(symbol=TRADED, orderId=placed, id="cancel")
        until(lambda: "cancel" in answers, "the answer to the cancel")
        equal(answers["cancel"]["result"]["status"], "CANCELED")
    finally:
        socket.stop()


run()

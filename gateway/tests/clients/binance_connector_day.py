"""binance-connector 3: a bot's day by its REST client, a listenKey's stream and its client of the websocket API.

What it cannot say: an amendment, and the old form of two orders of which one cancels the other.
"""

import json
import queue

from binance.error import ClientError
from binance.spot import Spot
from binance.websocket.spot.websocket_api import SpotWebsocketAPIClient
from binance.websocket.spot.websocket_stream import SpotWebsocketStreamClient
from common import BASE, KEYS, PATIENCE_S, WS, WS_API, equal, run, step, true
from day import INSUFFICIENT, Day, Desk, best_of

SYMBOL = "SOLUSDT"


class Connector(Desk):
    def __init__(self, key, secret):
        self.client = Spot(key, secret, base_url=BASE)

    def rules(self):
        return self.client.exchange_info(symbol=SYMBOL)["symbols"][0]

    def best(self):
        return best_of(self.client.book_ticker(SYMBOL))

    def account(self):
        return self.client.account()

    def fees(self):
        return self.client.query_commission_rates(SYMBOL)["standardCommission"]

    def counts(self):
        return self.client.get_order_rate_limit()

    def place(self, side, kind, **fields):
        return self.client.new_order(SYMBOL, side, kind, **fields)

    def test(self, side, kind, **fields):
        return self.client.new_order_test(SYMBOL, side, kind, **fields)

    def order(self, **name):
        return self.client.get_order(SYMBOL, **name)

    def open_orders(self, symbol=SYMBOL):
        return self.client.get_open_orders(symbol)

    def all_orders(self):
        return self.client.get_orders(SYMBOL)

    def trades(self, **which):
        return self.client.my_trades(SYMBOL, **which)

    def cancel(self, **name):
        return self.client.cancel_order(SYMBOL, **name)

    def cancel_all(self):
        return self.client.cancel_open_orders(SYMBOL)

    def replace(self, mode, order_id, side, kind, **fields):
        return self.client.cancel_and_replace(SYMBOL, side, kind, mode, cancelOrderId=order_id, **fields)

    def oco(self, **fields):
        return self.client.new_oco_order(SYMBOL, **fields)

    def otoco(self, **fields):
        return self.client.new_otoco_order(SYMBOL, **fields)

    def list(self, order_list_id):
        return self.client.get_oco_order(orderListId=order_list_id)

    def open_lists(self):
        return self.client.get_oco_open_orders()

    def all_lists(self):
        return self.client.get_oco_orders()

    def cancel_list(self, order_list_id):
        return self.client.cancel_oco_order(SYMBOL, orderListId=order_list_id)

    def said(self, error):
        if not isinstance(error, ClientError):
            raise error
        return error.error_code, error.error_message


day = Day(Connector)
desk = day.desk


def hear(_, message):
    event = json.loads(message)
    if "e" in event:
        day.heard.append(event)


listen_key = desk.client.new_listen_key()["listenKey"]
stream = SpotWebsocketStreamClient(stream_url=WS, on_message=hear)
stream.user_data(listen_key=listen_key)


@step
def the_wallet_reads():
    true(desk.client.coin_info(), "coins")
    equal(desk.client.trade_fee(symbol=SYMBOL)[0]["symbol"], SYMBOL)
    equal(desk.client.system_status()["status"], 0)
    equal(desk.client.account_status()["data"], "Normal")


day.trade()


@step
def orders_by_the_websocket_api():
    told = queue.Queue()
    socket = SpotWebsocketAPIClient(WS_API, *KEYS[0], on_message=lambda _, text: told.put(json.loads(text)))

    def ask(method, **fields):
        method(**fields)
        return told.get(timeout=PATIENCE_S)

    def good(method, **fields):
        answer = ask(method, **fields)
        equal(answer["status"], 200, answer)
        return answer["result"]

    try:
        limit = day.limit()
        new = {"symbol": SYMBOL, "side": "BUY", "type": "LIMIT", **limit}
        equal(good(socket.new_order_test, **new), {})
        first = good(socket.new_order, **new)
        equal(good(socket.get_order, symbol=SYMBOL, orderId=first["orderId"])["status"], "NEW")
        mode = {"cancelReplaceMode": "STOP_ON_FAILURE", "cancelOrderId": first["orderId"]}
        second = good(socket.cancel_replace_order, **new, **mode)["newOrderResponse"]
        equal(len(good(socket.get_open_orders, symbol=SYMBOL)), 1)
        equal(good(socket.cancel_order, symbol=SYMBOL, orderId=second["orderId"])["status"], "CANCELED")
        good(socket.new_order, **new)
        both = good(socket.new_oco_order, symbol=SYMBOL, side="BUY", **day.pair(limit))
        equal(good(socket.get_oco_order, orderListId=both["orderListId"])["orderListId"], both["orderListId"])
        equal(len(good(socket.get_open_oco_orders)), 1)
        ended = good(socket.cancel_oco_order, symbol=SYMBOL, orderListId=both["orderListId"])
        equal(ended["listOrderStatus"], "ALL_DONE")
        equal(len(good(socket.cancel_open_orders, symbol=SYMBOL)), 1)
        market = {"symbol": SYMBOL, "side": "BUY", "type": "MARKET", "quantity": limit["quantity"]}
        equal(good(socket.new_order, **market)["status"], "FILLED")
        true(good(socket.account)["canTrade"], "the account")
        equal(len(good(socket.my_trades, symbol=SYMBOL)), len(desk.trades()))
        equal(len(good(socket.order_history, symbol=SYMBOL)), len(desk.all_orders()))
        true(good(socket.oco_history), "lists")
        true(good(socket.order_rate_limit), "counts")
        dear = ask(socket.new_order, **{**new, "quantity": day.some(100_000)})
        equal((dear["status"], dear["error"]["code"], dear["error"]["msg"]), (400, *INSUFFICIENT))
        equal(good(socket.user_data_start)["listenKey"], listen_key, "the one that there is")
        good(socket.user_data_ping, listenKey=listen_key)
        equal(desk.client.renew_listen_key(listen_key), {})
    finally:
        socket.stop()


step(day.errors_are_its_own_with_the_conventions_codes)
day.end()


@step
def its_listen_key_ends():
    stream.stop()
    equal(desk.client.close_listen_key(listen_key), {})


run()

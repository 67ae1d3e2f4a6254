"""binance-sdk-spot, the official one: a bot's day by its typed REST, and its websocket API with logon and private events."""

import re

from binance_common.configuration import ConfigurationRestAPI, ConfigurationWebSocketAPI
from binance_common.errors import BadRequestError, ClientError, UnauthorizedError
from binance_sdk_spot.spot import Spot
from common import BASE, KEYS, TIMEOUT_MS, WS_API, equal, run, step, true
from day import REPLACED_HALF, Background, Day, Desk, best_of

SYMBOL = "LTCUSDT"
NUMBERS = {"quantity", "quote_order_qty", "price", "stop_price", "iceberg_qty", "above_price", "above_stop_price"}
NUMBERS |= {"below_price", "below_stop_price", "stop_limit_price"}


def snake(fields):
    """Fields as its methods name and type them."""
    named = {re.sub("[A-Z]", lambda letter: "_" + letter[0].lower(), name): value for name, value in fields.items()}
    return {name: float(value) if name in NUMBERS else value for name, value in named.items()}


def plain(data):
    """What a model was made of."""
    if isinstance(data, list):
        return [plain(row) for row in data]
    return data.to_dict() if hasattr(data, "to_dict") else data


class Sdk(Desk):
    def __init__(self, key, secret):
        self.rest = Spot(config_rest_api=ConfigurationRestAPI(key, secret, base_path=BASE, timeout=TIMEOUT_MS)).rest_api

    def rules(self):
        return plain(self.rest.exchange_info(symbol=SYMBOL).data().symbols[0])

    def best(self):
        return best_of(plain(self.rest.ticker_book_ticker(symbol=SYMBOL).data().actual_instance))

    def account(self):
        return plain(self.rest.get_account().data())

    def fees(self):
        return plain(self.rest.account_commission(SYMBOL).data())["standardCommission"]

    def counts(self):
        return plain(self.rest.rate_limit_order().data())

    def place(self, side, kind, **fields):
        return plain(self.rest.new_order(SYMBOL, side, kind, **snake(fields)).data())

    def test(self, side, kind, **fields):
        return plain(self.rest.order_test(SYMBOL, side, kind, **snake(fields)).data())

    def order(self, **name):
        return plain(self.rest.get_order(SYMBOL, **snake(name)).data())

    def open_orders(self, symbol=SYMBOL):
        return plain(self.rest.get_open_orders(symbol).data())

    def all_orders(self):
        return plain(self.rest.all_orders(SYMBOL).data())

    def trades(self, **which):
        return plain(self.rest.my_trades(SYMBOL, **snake(which)).data())

    def cancel(self, **name):
        return plain(self.rest.delete_order(SYMBOL, **snake(name)).data())

    def cancel_all(self):
        return plain(self.rest.delete_open_orders(SYMBOL).data())

    def replace(self, mode, order_id, side, kind, **fields):
        told = self.rest.order_cancel_replace(SYMBOL, side, kind, mode, cancel_order_id=order_id, **snake(fields))
        return plain(told.data())

    def amend(self, order_id, quantity):
        return plain(self.rest.order_amend_keep_priority(SYMBOL, float(quantity), order_id=order_id).data())

    def oco(self, **fields):
        return plain(self.rest.order_list_oco(SYMBOL, **snake(fields)).data())

    def otoco(self, **fields):
        return plain(self.rest.order_list_otoco(SYMBOL, **snake(fields)).data())

    def old_oco(self, **fields):
        return plain(self.rest.order_oco(SYMBOL, **snake(fields)).data())

    def list(self, order_list_id):
        return plain(self.rest.get_order_list(order_list_id=order_list_id).data())

    def open_lists(self):
        return plain(self.rest.open_order_list().data())

    def all_lists(self):
        return plain(self.rest.all_order_list().data())

    def cancel_list(self, order_list_id):
        return plain(self.rest.delete_order_list(SYMBOL, order_list_id=order_list_id).data())

    def said(self, error):
        # It has no class and no code for a 409.
        if isinstance(error, ClientError) and error.error_message == REPLACED_HALF[1]:
            return REPLACED_HALF
        if not isinstance(error, (BadRequestError, UnauthorizedError)):
            raise error
        return error.status_code, error.error_message


background, day = Background(), Day(Sdk)
desk = day.desk
settings = ConfigurationWebSocketAPI(*KEYS[0], stream_url=WS_API)
socket = Spot(config_ws_api=settings).websocket_api


async def listen():
    await socket.create_connection()
    told = await socket.user_data_stream_subscribe_signature()

    def hear(event):
        # Its model of an event does not keep the name: the class says it.
        name = type(event.actual_instance).__name__
        day.heard.append({"e": name[0].lower() + name[1:], **event.actual_instance.to_dict()})

    told.stream.on("message", hear)


background.do(listen())


def ask(method, *words, **fields):
    """A call of the websocket API; what it answers."""

    async def asked():
        return await method(*words, **snake(fields))

    return background.do(asked()).data().result


day.trade()


def trade_by_socket():
    limit = day.limit()
    ask(socket.order_test, SYMBOL, "BUY", "LIMIT", **limit)
    first = ask(socket.order_place, SYMBOL, "BUY", "LIMIT", **limit)
    equal(ask(socket.order_status, SYMBOL, orderId=first.order_id).status, "NEW")
    mode = {"cancelReplaceMode": "STOP_ON_FAILURE", "cancelOrderId": first.order_id}
    replaced = ask(socket.order_cancel_replace, SYMBOL, side="BUY", type="LIMIT", **mode, **limit)
    second = replaced.new_order_response.order_id
    equal(len(ask(socket.open_orders_status, symbol=SYMBOL)), 1)
    equal(ask(socket.order_cancel, SYMBOL, orderId=second).status, "CANCELED")
    ask(socket.order_place, SYMBOL, "BUY", "LIMIT", **limit)
    both = ask(socket.order_list_place_oco, SYMBOL, "BUY", **day.pair(limit)).order_list_id
    equal(ask(socket.order_list_status, orderListId=both).order_list_id, both)
    equal(len(ask(socket.open_order_lists_status)), 1)
    equal(ask(socket.order_list_cancel, SYMBOL, orderListId=both).list_order_status, "ALL_DONE")
    brings = ask(socket.order_list_place_otoco, SYMBOL, **day.bracket(day.far("BUY"))).order_list_id
    equal(ask(socket.order_list_cancel, SYMBOL, orderListId=brings).list_order_status, "ALL_DONE")
    equal(len(ask(socket.open_orders_cancel_all, SYMBOL)), 1)
    equal(ask(socket.order_place, SYMBOL, "BUY", "MARKET", quantity=limit["quantity"]).status, "FILLED")
    true(ask(socket.account_status).can_trade, "the account")
    equal(len(ask(socket.my_trades, SYMBOL)), len(desk.trades()))
    equal(len(ask(socket.all_orders, SYMBOL)), len(desk.all_orders()))
    true(ask(socket.account_rate_limits_orders), "counts")
    equal(ask(socket.account_commission, SYMBOL).symbol, SYMBOL)


@step
def orders_by_the_websocket_api_each_signed():
    trade_by_socket()


@step
def orders_by_the_websocket_api_after_a_logon():
    equal(ask(socket.session_logon).api_key, KEYS[0][0])
    equal(ask(socket.session_status).api_key, KEYS[0][0])
    trade_by_socket()
    equal(ask(socket.session_logout).api_key, None)


step(day.errors_are_its_own_with_the_conventions_codes)
day.end()
run()

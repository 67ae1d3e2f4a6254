"""python-binance: a bot's day by its REST client, its user socket and its orders over the websocket API.

What it cannot say: an amendment, and the old form of two orders of which one cancels the other.
"""

from binance.async_client import AsyncClient
from binance.base_client import BaseClient
from binance.client import Client
from binance.exceptions import BinanceAPIException
from binance.ws.streams import BinanceSocketManager
from common import KEYS, PATIENT, address_python_binance, equal, run, step, true
from day import INSUFFICIENT, NO_SUCH_ORDER, Background, Day, Decimal, Desk, best_of

address_python_binance(BaseClient, BinanceSocketManager)
SYMBOL = "BNBUSDT"


class PythonBinance(Desk):
    def __init__(self, key, secret):
        self.client = Client(key, secret, **PATIENT)

    def rules(self):
        return self.client.get_symbol_info(SYMBOL)

    def best(self):
        return best_of(self.client.get_orderbook_ticker(symbol=SYMBOL))

    def account(self):
        return self.client.get_account()

    def fees(self):
        return self.client.get_trade_fee(symbol=SYMBOL)

    def counts(self):
        return self.client.get_current_order_count()

    def place(self, side, kind, **fields):
        return self.client.create_order(symbol=SYMBOL, side=side, type=kind, **fields)

    def test(self, side, kind, **fields):
        return self.client.create_test_order(symbol=SYMBOL, side=side, type=kind, **fields)

    def order(self, **name):
        return self.client.get_order(symbol=SYMBOL, **name)

    def open_orders(self, symbol=SYMBOL):
        return self.client.get_open_orders(symbol=symbol)

    def all_orders(self):
        return self.client.get_all_orders(symbol=SYMBOL)

    def trades(self, **which):
        return self.client.get_my_trades(symbol=SYMBOL, **which)

    def cancel(self, **name):
        return self.client.cancel_order(symbol=SYMBOL, **name)

    def cancel_all(self):
        return self.client.cancel_all_open_orders(symbol=SYMBOL)

    def replace(self, mode, order_id, side, kind, **fields):
        new = {"symbol": SYMBOL, "side": side, "type": kind, **fields}
        return self.client.cancel_replace_order(cancelReplaceMode=mode, cancelOrderId=order_id, **new)

    def oco(self, **fields):
        return self.client.create_oco_order(symbol=SYMBOL, **fields)

    def otoco(self, **fields):
        return self.client.v3_post_order_list_otoco(symbol=SYMBOL, **fields)

    def list(self, order_list_id):
        return self.client.v3_get_order_list(orderListId=order_list_id)

    def open_lists(self):
        return self.client.get_open_oco_orders()

    def all_lists(self):
        return self.client.v3_get_all_order_list()

    def cancel_list(self, order_list_id):
        return self.client.v3_delete_order_list(symbol=SYMBOL, orderListId=order_list_id)

    def said(self, error):
        if not isinstance(error, BinanceAPIException):
            raise error
        return error.code, error.message


background, day = Background(), Day(PythonBinance)
desk = day.desk


async def opened():
    client = await AsyncClient.create(*KEYS[0], **PATIENT)
    socket = BinanceSocketManager(client).user_socket()
    return client, await socket.__aenter__()


async def listen(socket):
    while True:
        day.heard.append(await socket.recv())


client, socket = background.do(opened())
background.begin(listen(socket))


@step
def the_wallet_reads():
    equal(desk.client.get_system_status()["status"], 0)
    equal(desk.client.get_account_status()["data"], "Normal")
    true(desk.client.get_account_api_trading_status()["data"]["isLocked"] is False, "it may trade")
    true(desk.client.get_account_api_permissions()["enableSpotAndMarginTrading"], "the key may trade")
    balance = desk.client.get_asset_balance(asset="USDT")
    equal(Decimal(balance["free"]), day.start["USDT"][0])


day.trade()


@step
def its_helpers_for_orders():
    quantity, low, high = day.some(), day.far("BUY"), day.far("SELL")
    equal(desk.client.order_market_buy(symbol=SYMBOL, quantity=quantity)["status"], "FILLED")
    equal(desk.client.order_market_sell(symbol=SYMBOL, quantity=quantity)["status"], "FILLED")
    equal(desk.client.order_limit_buy(symbol=SYMBOL, quantity=quantity, price=low)["status"], "NEW")
    equal(desk.client.order_limit_sell(symbol=SYMBOL, quantity=quantity, price=high)["status"], "NEW")
    equal(len(desk.cancel_all()), 2)


@step
def orders_by_the_websocket_api():
    def ask(method, **fields):
        return background.do(method(**fields))

    limit = day.limit()
    new = {"symbol": SYMBOL, "side": "BUY", "type": "LIMIT", **limit}
    equal(ask(client.ws_create_test_order, **new), {})
    first = ask(client.ws_create_order, **new)
    equal(ask(client.ws_get_order, symbol=SYMBOL, orderId=first["orderId"])["status"], "NEW")
    mode = {"cancelReplaceMode": "STOP_ON_FAILURE", "cancelOrderId": first["orderId"]}
    second = ask(client.ws_cancel_and_replace_order, **new, **mode)["newOrderResponse"]
    equal(len(ask(client.ws_get_open_orders, symbol=SYMBOL)), 1)
    equal(ask(client.ws_cancel_order, symbol=SYMBOL, orderId=second["orderId"])["status"], "CANCELED")
    low = {"symbol": SYMBOL, "quantity": limit["quantity"], "price": limit["price"]}
    equal(ask(client.ws_order_limit_buy, **low)["status"], "NEW")
    both = ask(client.ws_create_oco_order, symbol=SYMBOL, side="BUY", **day.pair(limit))["orderListId"]
    equal(ask(client.ws_get_oco_order, orderListId=both)["orderListId"], both)
    equal(len(ask(client.ws_get_oco_open_orders)), 1)
    equal(ask(client.ws_cancel_oco_order, symbol=SYMBOL, orderListId=both)["listOrderStatus"], "ALL_DONE")
    equal(len(ask(client.ws_cancel_all_open_orders, symbol=SYMBOL)), 1)
    taken = ask(client.ws_order_market_buy, symbol=SYMBOL, quantity=limit["quantity"])
    equal(taken["status"], "FILLED")
    true(ask(client.ws_get_account)["canTrade"], "the account")
    equal(len(ask(client.ws_get_my_trades, symbol=SYMBOL)), len(desk.trades()))
    equal(len(ask(client.ws_get_all_orders, symbol=SYMBOL)), len(desk.all_orders()))
    true(ask(client.ws_get_account_rate_limits_orders), "counts")
    equal(ask(client.ws_get_commission_rates, symbol=SYMBOL)["symbol"], SYMBOL)
    day.refused(lambda: ask(client.ws_create_order, **{**new, "quantity": day.some(100_000)}), INSUFFICIENT)
    day.refused(lambda: ask(client.ws_get_order, symbol=SYMBOL, orderId=1), NO_SUCH_ORDER)


step(day.errors_are_its_own_with_the_conventions_codes)
day.end()


@step
def its_listen_key_lives_and_ends():
    listen_key = desk.client.stream_get_listen_key()
    equal(desk.client.stream_keepalive(listen_key), {})
    equal(desk.client.stream_close(listen_key), {})


run()

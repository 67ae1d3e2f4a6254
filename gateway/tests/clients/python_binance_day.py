"""python-binance: a bot's day by its REST client, its user socket and its orders over the websocket API.

What it cannot say: an amendment, and the old form of two orders of which one cancels the other.
"""

from binance.async_client import AsyncClient
from binance.base_client import BaseClient
from binance.client import Client
from binance.exceptions import BinanceAPIException
from binance.ws.streams import BinanceSocketManager
from common import BASE, KEYS, WS, equal, run, step, true
from day import BAD_SIGNATURE, INSUFFICIENT, KEY, NO_SUCH_ORDER, UNKNOWN_SYMBOL, Background, Day, Decimal

BaseClient.API_URL = BASE + "/api"
BaseClient.MARGIN_API_URL = BASE + "/sapi"
BaseClient.WS_API_URL = WS + "/ws-api/v3"
BinanceSocketManager.STREAM_URL = WS + "/"
SYMBOL = "BNBUSDT"


class Desk:
    symbol = SYMBOL

    def __init__(self, key, secret):
        self.client = Client(key, secret)

    def rules(self):
        return self.client.get_symbol_info(SYMBOL)

    def best(self):
        row = self.client.get_orderbook_ticker(symbol=SYMBOL)
        return tuple(Decimal(row[name]) for name in ("bidPrice", "bidQty", "askPrice", "askQty"))

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

    def open_orders(self):
        return self.client.get_open_orders(symbol=SYMBOL)

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

    def amend(self, order_id, quantity):
        return None

    def oco(self, **fields):
        return self.client.create_oco_order(symbol=SYMBOL, **fields)

    def old_oco(self, **fields):
        return None

    def list(self, order_list_id):
        return self.client.v3_get_order_list(orderListId=order_list_id)

    def open_lists(self):
        return self.client.get_open_oco_orders()

    def all_lists(self):
        return self.client.v3_get_all_order_list()

    def cancel_list(self, order_list_id):
        return self.client.v3_delete_order_list(symbol=SYMBOL, orderListId=order_list_id)

    def code(self, error):
        if not isinstance(error, BinanceAPIException):
            raise error
        return error.code


desk, other = Desk(*KEYS[0]), Desk(*KEYS[1])
background, heard = Background(), []
day = Day(desk, other, heard)


async def opened():
    client = await AsyncClient.create(*KEYS[0])
    socket = BinanceSocketManager(client).user_socket()
    return client, await socket.__aenter__()


async def listen(socket):
    while True:
        heard.append(await socket.recv())


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

    limit = {"timeInForce": "GTC", "quantity": day.some(), "price": day.far("BUY")}
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
    legs = {"aboveType": "STOP_LOSS", "aboveStopPrice": day.far("SELL"), "belowType": "LIMIT_MAKER"}
    pair = {"symbol": SYMBOL, "side": "BUY", "quantity": limit["quantity"], "belowPrice": limit["price"], **legs}
    both = ask(client.ws_create_oco_order, **pair)["orderListId"]
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


@step
def errors_are_its_own_with_the_conventions_codes():
    key, secret = KEYS[0]
    day.refused(lambda: Client(key, "x" * 64).get_account(), BAD_SIGNATURE)
    day.refused(lambda: Client("x" * 64, secret).get_account(), KEY)
    day.refused(lambda: desk.client.get_open_orders(symbol="NOSUCH"), UNKNOWN_SYMBOL)


day.end()


@step
def its_listen_key_lives_and_ends():
    listen_key = desk.client.stream_get_listen_key()
    equal(desk.client.stream_keepalive(listen_key), {})
    equal(desk.client.stream_close(listen_key), {})


run()

"""@binance/spot of JavaScript: a bot's day by its typed REST, and its websocket API with logon and private events."""

from binance_spot_js_desk import Client, program
from common import KEYS, equal, run, step, true
from day import Day, Desk, best_of
from scripted import Raised

SYMBOL = "XRPUSDT"
heard = []
process = program(heard.append)


class Spot(Desk):
    def __init__(self, *key):
        self.client = Client(process, key)

    def _of(self, method, **fields):
        return self.client.rest(method, symbol=SYMBOL, **fields)

    def rules(self):
        return self._of("exchangeInfo")["symbols"][0]

    def best(self):
        return best_of(self._of("tickerBookTicker"))

    def account(self):
        return self.client.rest("getAccount")

    def fees(self):
        return self._of("accountCommission")["standardCommission"]

    def counts(self):
        return self.client.rest("rateLimitOrder")

    def place(self, side, kind, **fields):
        return self._of("newOrder", side=side, type=kind, **fields)

    def test(self, side, kind, **fields):
        return self._of("orderTest", side=side, type=kind, **fields)

    def order(self, **name):
        return self._of("getOrder", **name)

    def open_orders(self, symbol=SYMBOL):
        return self.client.rest("getOpenOrders", symbol=symbol)

    def all_orders(self):
        return self._of("allOrders")

    def trades(self, **which):
        return self._of("myTrades", **which)

    def cancel(self, **name):
        return self._of("deleteOrder", **name)

    def cancel_all(self):
        return self._of("deleteOpenOrders")

    def replace(self, mode, order_id, side, kind, **fields):
        which = {"cancelReplaceMode": mode, "cancelOrderId": order_id}
        return self._of("orderCancelReplace", side=side, type=kind, **which, **fields)

    def amend(self, order_id, quantity):
        return self._of("orderAmendKeepPriority", orderId=order_id, newQty=quantity)

    def oco(self, **fields):
        return self._of("orderListOco", **fields)

    def otoco(self, **fields):
        return self._of("orderListOtoco", **fields)

    def old_oco(self, **fields):
        return self._of("orderOco", **fields)

    def list(self, order_list_id):
        return self.client.rest("getOrderList", orderListId=order_list_id)

    def open_lists(self):
        return self.client.rest("openOrderList")

    def all_lists(self):
        return self.client.rest("allOrderList")

    def cancel_list(self, order_list_id):
        return self._of("deleteOrderList", orderListId=order_list_id)

    def said(self, error):
        if not isinstance(error, Raised) or error.code is None:
            raise error
        return error.code, str(error)


day = Day(Spot)
desk, day.heard = day.desk, heard
desk.client.socket("userDataStreamSubscribeSignature")
day.trade()


def ask(method, **fields):
    return desk.client.socket(method, **fields)


def trade_by_socket():
    buy = {"symbol": SYMBOL, "side": "BUY"}
    limit = day.limit()
    ask("orderTest", type="LIMIT", **buy, **limit)
    first = ask("orderPlace", type="LIMIT", **buy, **limit)
    equal(ask("orderStatus", symbol=SYMBOL, orderId=first["orderId"])["status"], "NEW")
    mode = {"cancelReplaceMode": "STOP_ON_FAILURE", "cancelOrderId": first["orderId"]}
    second = ask("orderCancelReplace", type="LIMIT", **buy, **mode, **limit)["newOrderResponse"]["orderId"]
    equal(len(ask("openOrdersStatus", symbol=SYMBOL)), 1)
    equal(ask("orderCancel", symbol=SYMBOL, orderId=second)["status"], "CANCELED")
    ask("orderPlace", type="LIMIT", **buy, **limit)
    both = ask("orderListPlaceOco", **buy, **day.pair(limit))["orderListId"]
    equal(ask("orderListStatus", orderListId=both)["orderListId"], both)
    equal(len(ask("openOrderListsStatus")), 1)
    equal(ask("orderListCancel", symbol=SYMBOL, orderListId=both)["listOrderStatus"], "ALL_DONE")
    brings = ask("orderListPlaceOtoco", symbol=SYMBOL, **day.bracket(day.far("BUY")))["orderListId"]
    equal(ask("orderListCancel", symbol=SYMBOL, orderListId=brings)["listOrderStatus"], "ALL_DONE")
    equal(len(ask("openOrdersCancelAll", symbol=SYMBOL)), 1)
    equal(ask("orderPlace", type="MARKET", quantity=limit["quantity"], **buy)["status"], "FILLED")
    true(ask("accountStatus")["canTrade"], "the account")
    equal(len(ask("myTrades", symbol=SYMBOL)), len(desk.trades()))
    equal(len(ask("allOrders", symbol=SYMBOL)), len(desk.all_orders()))
    true(ask("accountRateLimitsOrders"), "counts")
    equal(ask("accountCommission", symbol=SYMBOL)["symbol"], SYMBOL)


@step
def orders_by_the_websocket_api_each_signed():
    trade_by_socket()


@step
def orders_by_the_websocket_api_after_a_logon():
    equal(ask("sessionLogon")["apiKey"], KEYS[0][0])
    equal(ask("sessionStatus")["apiKey"], KEYS[0][0])
    trade_by_socket()
    equal(ask("sessionLogout")["apiKey"], None)


@step
def what_was_changed_and_what_looks_at_the_account():
    limit = day.limit(40)
    placed = desk.place("BUY", "LIMIT", **limit)
    told = desk.amend(placed["orderId"], day.some(20))
    rows = desk.client.rest("orderAmendments", symbol=SYMBOL, orderId=placed["orderId"])
    equal([row["executionId"] for row in rows], [told["executionId"]])
    desk.cancel_all()
    equal(desk.client.rest("myAllocations", symbol=SYMBOL), [])
    true(desk.client.rest("myFilters", symbol=SYMBOL)["symbolFilters"], "filters")


step(day.errors_are_its_own_with_the_conventions_codes)
day.end()
run()

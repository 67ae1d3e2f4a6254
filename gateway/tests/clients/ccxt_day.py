"""ccxt and ccxt.pro: a bot's day by unified methods with default options, and by implicit ones for what has no unified
one: the pairs of orders, the counts of orders and the two modes of a replacement.

What it cannot say: an amendment. What its stream tells is the latest of each order, every fill, the latest of balances.
"""

import json

import ccxt
import ccxt_binance
from common import CCXT_URLS, KEYS, TIMEOUT_MS, equal, run, step, true
from day import CANCEL_REJECTED, INSUFFICIENT, REJECTED, Background, Day, Decimal, Desk, best_of

# Not both languages at once on one market.
SYMBOL, PAIR = ("DOTUSDT", "DOT/USDT") if ccxt_binance.OF_JAVASCRIPT else ("ETHUSDT", "ETH/USDT")
IDS = {"id", "orderId", "tradeId", "orderListId"}


def settings(key, secret):
    return {"apiKey": key, "secret": secret, "urls": CCXT_URLS, "timeout": TIMEOUT_MS}


def raw(told):
    """What the exchange said; ccxt makes texts of all numbers, of which ids are numbers again here."""
    if isinstance(told, list):
        return [raw(row) for row in told]
    if not isinstance(told, dict):
        return told
    return {name: int(value) if name in IDS else raw(value) for name, value in told.items()}


class Ccxt(Desk):
    def __init__(self, key, secret):
        self.client = ccxt_binance.rest(settings(key, secret))
        self.client.load_markets()

    def rules(self):
        return self.client.market(PAIR)["info"]

    def best(self):
        return best_of(self.client.fetch_bids_asks([PAIR])[PAIR]["info"])

    def account(self):
        return self.client.fetch_balance()["info"]

    def fees(self):
        return self.client.fetch_trading_fee(PAIR)["info"]

    def counts(self):
        return self.client.private_get_ratelimit_order()

    def place(self, side, kind, **fields):
        return raw(self._create(side, kind, fields)["info"])

    def test(self, side, kind, **fields):
        return self._create(side, kind, {**fields, "test": True})["info"]

    def _create(self, side, kind, fields):
        fields = dict(fields)
        price = fields.pop("price", None)
        amount = fields.pop("quantity", None)
        if "trailingDelta" in fields:
            fields["trailingPercent"] = fields.pop("trailingDelta") / 100
        if "icebergQty" in fields:
            fields["icebergAmount"] = float(fields.pop("icebergQty"))
        if "newClientOrderId" in fields:
            fields["clientOrderId"] = fields.pop("newClientOrderId")
        numbers = [None if number is None else float(number) for number in (amount, price)]
        return self.client.create_order(PAIR, kind, side.lower(), *numbers, fields)

    def order(self, orderId=None, origClientOrderId=None):
        name = {"clientOrderId": origClientOrderId} if origClientOrderId else {}
        return raw(self.client.fetch_order(orderId and str(orderId), PAIR, name)["info"])

    def open_orders(self):
        return raw([order["info"] for order in self.client.fetch_open_orders(PAIR)])

    def all_orders(self):
        return raw([order["info"] for order in self.client.fetch_orders(PAIR)])

    def trades(self, **which):
        return raw([trade["info"] for trade in self.client.fetch_my_trades(PAIR, params=which)])

    def cancel(self, orderId=None, origClientOrderId=None):
        name = {"clientOrderId": origClientOrderId} if origClientOrderId else {}
        return raw(self.client.cancel_order(orderId and str(orderId), PAIR, name)["info"])

    def cancel_all(self):
        return raw([order["info"] for order in self.client.cancel_all_orders(PAIR)])

    def replace(self, mode, order_id, side, kind, **fields):
        new = {"symbol": SYMBOL, "side": side, "type": kind, **fields}
        request = {**new, "cancelReplaceMode": mode, "cancelOrderId": order_id}
        return raw(self.client.private_post_order_cancelreplace(request))

    def oco(self, **fields):
        return raw(self.client.private_post_orderlist_oco({"symbol": SYMBOL, **fields}))

    def otoco(self, **fields):
        return raw(self.client.private_post_orderlist_otoco({"symbol": SYMBOL, **fields}))

    def old_oco(self, **fields):
        return raw(self.client.private_post_order_oco({"symbol": SYMBOL, **fields}))

    def list(self, order_list_id):
        return raw(self.client.private_get_orderlist({"orderListId": order_list_id}))

    def open_lists(self):
        return raw(self.client.private_get_openorderlist())

    def all_lists(self):
        return raw(self.client.private_get_allorderlist())

    def cancel_list(self, order_list_id):
        return raw(self.client.private_delete_orderlist({"symbol": SYMBOL, "orderListId": order_list_id}))

    def said(self, error):
        if not isinstance(error, ccxt.ExchangeError):
            raise error
        words = str(error)
        # Of these it tells the text alone.
        if isinstance(error, (ccxt.InsufficientFunds, ccxt.OrderImmediatelyFillable)):
            return REJECTED, words.removeprefix("binance ")
        told = json.loads(words[words.index("{") :])
        return told["code"], told["msg"]


background, day = Background(), Day(Ccxt, every_event=False)
desk, heard = day.desk, day.heard


async def opened():
    pro = ccxt_binance.pro(settings(*KEYS[0]))
    await pro.load_markets()
    return pro


pro = background.do(opened())


def hear(rows):
    """Reports, of which a fill's comes as the order's and as the trade's: of two calls, either of which may tell it first,
    so each goes where its number belongs."""
    for report in (row["info"] for row in rows):
        told = {int(event["I"]): at for at, event in enumerate(heard) if event["e"] == "executionReport"}
        number = int(report["I"])
        if number not in told:
            heard.insert(min((at for known, at in told.items() if known > number), default=len(heard)), report)


async def orders():
    while True:
        hear(await pro.watch_orders(PAIR))


async def fills():
    while True:
        hear(await pro.watch_my_trades(PAIR))


async def positions():
    while True:
        told = await pro.watch_balance()
        rows = [{"a": name, "f": str(told["free"][name]), "l": str(told["used"][name])} for name in told["free"]]
        heard.append({"e": "outboundAccountPosition", "B": rows})


for each in (orders, fills, positions):
    background.begin(each())
day.trade()


@step
def an_edited_order_and_a_maker_by_unified_methods():
    amount, low = float(day.some()), float(day.far("BUY"))
    placed = desk.client.create_limit_buy_order(PAIR, amount, low)
    edited = desk.client.edit_order(placed["id"], PAIR, "limit", "buy", amount, low * 0.99)
    equal(edited["status"], "open")
    maker = desk.client.create_order(PAIR, "limit", "buy", amount, low, {"postOnly": True})
    equal(maker["info"]["type"], "LIMIT_MAKER")
    stop = desk.client.create_order(PAIR, "market", "sell", amount, None, {"stopLossPrice": low})
    equal(desk.client.fetch_order(stop["id"], PAIR)["triggerPrice"], low)
    equal({order["id"] for order in desk.client.fetch_open_orders(PAIR)}, {edited["id"], maker["id"], stop["id"]})
    equal(desk.client.cancel_order(stop["id"], PAIR)["status"], "canceled")
    desk.client.cancel_all_orders(PAIR)
    closed = desk.client.fetch_order(placed["id"], PAIR)
    equal((closed["status"], closed["filled"]), ("canceled", 0.0))
    true(desk.client.fetch_closed_orders(PAIR), "closed orders")
    true(desk.client.fetch_trading_fees()[PAIR]["maker"] == 0.001, "fees")
    equal(desk.client.fetch_status()["status"], "ok")
    true("USDT" in desk.client.fetch_currencies(), "currencies")


@step
def orders_by_the_websocket_api():
    def ask(method, *words):
        return background.do(method(*words))

    amount, low = float(day.some()), float(day.far("BUY"))
    first = ask(pro.create_order_ws, PAIR, "limit", "buy", amount, low)
    equal(ask(pro.fetch_order_ws, first["id"], PAIR)["status"], "open")
    second = ask(pro.edit_order_ws, first["id"], PAIR, "limit", "buy", amount, low * 0.99)
    equal([order["id"] for order in ask(pro.fetch_open_orders_ws, PAIR)], [second["id"]])
    equal(ask(pro.cancel_order_ws, second["id"], PAIR)["status"], "canceled")
    ask(pro.create_order_ws, PAIR, "limit", "buy", amount, low)
    equal(len(ask(pro.cancel_all_orders_ws, PAIR)), 1)
    equal(ask(pro.create_order_ws, PAIR, "market", "buy", amount)["status"], "closed")
    equal(len(ask(pro.fetch_my_trades_ws, PAIR)), len(desk.trades()))
    equal(len(ask(pro.fetch_orders_ws, PAIR)), len(desk.all_orders()))
    # It makes nothing of the balances of spot that come by this way.
    rows = ask(pro.fetch_balance_ws)["info"]["balances"]
    equal({row["asset"]: (Decimal(row["free"]), Decimal(row["locked"])) for row in rows}, day.balances())
    day.refused(lambda: ask(pro.create_order_ws, PAIR, "limit", "buy", float(day.some(100_000)), low), INSUFFICIENT)
    day.refused(lambda: ask(pro.cancel_order_ws, second["id"], PAIR), CANCEL_REJECTED)


@step
def errors_are_its_own_classes():
    key, secret = KEYS[0]
    client, low = desk.client, float(day.far("BUY"))
    wrong, unknown = ccxt_binance.rest(settings(key, "x" * 64)), ccxt_binance.rest(settings("x" * 64, secret))
    crossing, amount = float(day.crossing("BUY")), float(day.some())
    post_only = {"postOnly": True}
    for call, wanted in [
        (lambda: client.create_order(PAIR, "limit", "buy", float(day.some(100_000)), low), ccxt.InsufficientFunds),
        (lambda: client.create_order(PAIR, "limit", "buy", amount, crossing, post_only), ccxt.OrderImmediatelyFillable),
        (lambda: client.create_order(PAIR, "limit", "buy", amount, low * 100), ccxt.InvalidOrder),
        (lambda: client.cancel_order("1", PAIR), ccxt.OrderNotFound),
        (lambda: client.fetch_order("1", PAIR), ccxt.OrderNotFound),
        (lambda: wrong.private_get_account(), ccxt.AuthenticationError),
        (lambda: unknown.private_get_account(), ccxt.AuthenticationError),
        (lambda: client.private_get_openorders({"symbol": "NOSUCH"}), ccxt.BadSymbol),
        (lambda: client.public_get_depth({"symbol": "NOSUCH"}), ccxt.BadSymbol),
    ]:
        try:
            told = call()
        except ccxt.BaseError as error:
            true(isinstance(error, wanted), f"{type(error).__name__} is no {wanted.__name__}: {error}")
        else:
            raise AssertionError(f"no {wanted.__name__}: {told}")


day.end()


@step
def its_connections_end():
    background.do(pro.close())


run()

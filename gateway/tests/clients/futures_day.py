"""A bot's day on one contract's book, told in the futures convention's words; each script tells it in its client's.

A desk is what a script makes of its client, for one key. All of its methods call the client's own and answer what the
exchange said, as it said it (docs/rules/futures-api.md):

    rules(), premium(), best()      its row of exchangeInfo; mark, index and funding; bid and ask, None of an empty side
    book(), trades_of_all(), candles()    levels, the latest trades, candles
    balance(), position(), positions()    USDT's row of balance; the contract's row of positionRisk by side; all positions
    place(side, type, **fields), order(**name), open_orders(), all_orders(), cancel(**name), cancel_all()
    trades(), income(kind)          own fills; rows of the ledger
    leverage(multiple), margin_type(word), hedge(on), margin(amount, kind), countdown(ms)
    forced(kind), quantile()        orders that liquidations made; places in a deleveraging by side
    said(error)                     of what the client raises: the exchange's code; raises what is not its
"""

import fcntl
import time
from decimal import Decimal

from common import KEYS, equal, step, true, until
from day import text, whole

MAKER, TAKER, UNIT = Decimal("0.0002"), Decimal("0.0005"), Decimal("0.00000001")
ENDS = {"FILLED", "CANCELED", "EXPIRED", "EXPIRED_IN_MATCH"}
# A funding period of the exchange of these runs, with what the store needs.
FUNDING_WITHIN_S = 90
# So long before a payment a few calls are answered.
FAR_S = 15


class FuturesDay:
    """The steps, in order, at the desks of the bot and of whom it trades with. To `heard` the script adds the account's
    events as they come; when its client tells no more than the latest of an order, it is not `every_event` that is in
    there. Who comes to the contract first has it alone until the end."""

    def __init__(self, make, symbol, every_event=True):
        self.every_event, self.heard = every_event, []
        self.turn = open(f"{symbol}.lock", "w")
        fcntl.flock(self.turn, fcntl.LOCK_EX)
        self.desk, self.other = (make(*names) for names in KEYS)
        row = self.desk.rules()
        filters = {rule["filterType"]: rule for rule in row["filters"]}
        self.tick = Decimal(filters["PRICE_FILTER"]["tickSize"])
        self.lot = Decimal(filters["LOT_SIZE"]["stepSize"])
        until(lambda: self.desk.rules()["status"] == "TRADING", "the contract is open")
        self.before = {row["orderId"] for row in self.desk.all_orders()}
        self.start = Decimal(self.desk.balance()["balance"])
        self.margin = Decimal(0)

    def trade(self):
        """Adds the steps."""
        steps = [self.market_data, self.settings_change, self.orders_rest_and_are_cancelled, self.a_position_opens]
        steps += [self.what_only_closes, self.a_margin_of_its_own, self.refusals, self.both_sides_at_once]
        steps += [self.silence_cancels_orders, self.a_position_is_liquidated]
        steps += [self.funding_is_paid, self.every_event_came, self.the_balance_is_explained, self.the_book_is_left_empty]
        for one in steps:
            step(one.__func__.__get__(self))

    def price(self, percent=0):
        """The mark and so much of it, in whole ticks."""
        mark = Decimal(self.desk.premium()["markPrice"])
        return whole(mark * (100 + percent) / 100, self.tick)

    def limit(self, lots=1, percent=0, **more):
        return {"timeInForce": "GTC", "quantity": text(self.lot * lots), "price": text(self.price(percent)), **more}

    def refused(self, act, code):
        try:
            act()
        except Exception as error:  # what a client raises is its own
            return equal(self.desk.said(error), code)
        raise AssertionError(f"taken, not refused with {code}")

    def meet(self, side, lots=1, **more):
        """The other user rests, the bot takes it at the market."""
        against = "SELL" if side == "BUY" else "BUY"
        self.other.place(against, "LIMIT", **self.limit(lots))
        # Public data follows an order: an order at the market is refused while nobody is seen whom it would meet.
        until(lambda: self.desk.best()[side == "BUY"] is not None, "somebody to meet")
        return self.desk.place(side, "MARKET", quantity=text(self.lot * lots), newOrderRespType="RESULT", **more)

    def amount(self, side="BOTH"):
        row = self.desk.position(side)
        return Decimal(row["positionAmt"]) if row else Decimal(0)

    def market_data(self):
        premium = self.desk.premium()
        true(Decimal(premium["markPrice"]) > 0 and Decimal(premium["indexPrice"]) > 0, f"prices: {premium}")
        true(int(premium["nextFundingTime"]) > time.time() * 1_000 - 120_000, f"a funding period: {premium}")
        self.other.place("SELL", "LIMIT", **self.limit(1, 2))
        # Public data follows an order, it does not come with its answer.
        until(lambda: self.desk.best()[1] is not None, "an ask")
        until(lambda: [Decimal(str(row[1])) for row in self.desk.book()["asks"]] == [self.lot], "a level of asks")
        self.other.cancel_all()
        true(isinstance(self.desk.candles(), list), "candles")

    def settings_change(self):
        self.desk.leverage(10)
        self.desk.margin_type("ISOLATED")
        self.desk.margin_type("CROSSED")

    def orders_rest_and_are_cancelled(self):
        first = self.desk.place("BUY", "LIMIT", **self.limit(2, -2, timeInForce="GTX"))
        second = self.desk.place("SELL", "LIMIT", **self.limit(1, 2))
        equal({row["orderId"] for row in self.desk.open_orders()}, {first["orderId"], second["orderId"]})
        equal(self.desk.order(orderId=first["orderId"])["status"], "NEW")
        equal(self.desk.cancel(orderId=first["orderId"])["status"], "CANCELED")
        self.desk.cancel_all()
        equal(self.desk.open_orders(), [])
        equal(self.desk.order(orderId=second["orderId"])["status"], "CANCELED")

    def a_position_opens(self):
        order = self.meet("BUY", 2)
        equal((order["status"], Decimal(order["executedQty"])), ("FILLED", 2 * self.lot))
        row = self.desk.position()
        equal((Decimal(row["positionAmt"]), Decimal(row["entryPrice"])), (2 * self.lot, Decimal(order["avgPrice"])))
        fill = self.desk.trades()[-1]
        value = Decimal(fill["price"]) * Decimal(fill["qty"])
        equal(Decimal(fill["quoteQty"]), value)
        true(abs(Decimal(fill["commission"]) - value * TAKER) < UNIT, f"the taker's fee: {fill}")

    def what_only_closes(self):
        rests = self.desk.place("SELL", "LIMIT", **self.limit(1, 1, reduceOnly="true"))
        equal(rests["status"], "NEW")
        order = self.meet("SELL", 1, reduceOnly="true")
        equal((order["status"], self.amount()), ("FILLED", self.lot))
        self.meet("SELL", 1)
        equal(self.amount(), 0)
        equal(self.desk.order(orderId=rests["orderId"])["status"], "EXPIRED", "nothing is left to close")
        self.refused(lambda: self.desk.place("SELL", "LIMIT", **self.limit(1, 1, reduceOnly="true")), -2022)

    def a_margin_of_its_own(self):
        self.desk.margin_type("ISOLATED")
        self.meet("SELL", 1)
        row = self.desk.position()
        is_short = Decimal(row["liquidationPrice"]) > Decimal(row["entryPrice"])
        true(Decimal(row["isolatedWallet"]) > 0 and is_short, f"a short one: {row}")
        # A payment of funding between two looks would change it too.
        until(self._funding_is_far, "no funding is near", every_s=0.5)
        own = Decimal(self.desk.position()["isolatedWallet"])
        self.desk.margin("2", 1)
        equal(Decimal(self.desk.position()["isolatedWallet"]), own + 2)
        self.desk.margin("1", 2)
        self.meet("BUY", 1, reduceOnly="true")
        equal(self.amount(), 0)
        self.desk.margin_type("CROSSED")

    def _funding_is_far(self):
        return int(self.desk.premium()["nextFundingTime"]) - time.time() * 1_000 > FAR_S * 1_000

    def refusals(self):
        far = self.limit(1, 20)
        for fields, code in [
            (far, -4016),
            (self.limit(1, -20), -4024),
            ({**self.limit(), "quantity": text(self.lot * 1_000)}, -2019),
        ]:
            self.refused(lambda fields=fields: self.desk.place("BUY", "LIMIT", **fields), code)
        self.refused(lambda: self.desk.order(orderId=1), -2013)
        self.refused(lambda: self.desk.cancel(orderId=1), -2011)
        self.refused(lambda: self.desk.place("BUY", "MARKET", quantity=text(self.lot)), -4131)

    def both_sides_at_once(self):
        self.desk.hedge(True)
        self.meet("BUY", 1, positionSide="LONG")
        self.meet("SELL", 1, positionSide="SHORT")
        equal((self.amount("LONG"), self.amount("SHORT")), (self.lot, -self.lot))
        self.meet("SELL", 1, positionSide="LONG")
        self.meet("BUY", 1, positionSide="SHORT")
        equal(self.desk.positions(), [])
        self.desk.hedge(False)

    def silence_cancels_orders(self):
        self.desk.place("BUY", "LIMIT", **self.limit(1, -2))
        self.desk.countdown(60_000)
        self.desk.countdown(500)
        until(lambda: self.desk.open_orders() == [], "the countdown is over")
        self.desk.countdown(0)

    def a_position_is_liquidated(self):
        """The other's quotes and a trade at their price take the mark to the end of a position at a hundred times its margin;
        what the other does not take of it is closed against the other's own. A mark may be so far from the index at most:
        it goes to the side where the index is."""
        self.desk.margin_type("ISOLATED")
        self.desk.leverage(100)
        premium = self.desk.premium()
        falls = Decimal(premium["markPrice"]) >= Decimal(premium["indexPrice"])
        opens, closes = ("BUY", "SELL") if falls else ("SELL", "BUY")
        self.meet(opens, 10)
        until(lambda: int(self.desk.quantile()["BOTH"]) == 4, "the only one of its side")
        entry = Decimal(self.desk.position()["entryPrice"])

        def at(lots, thousandths):
            price = whole(entry * (1_000 + (-thousandths if falls else thousandths)) / 1_000, self.tick)
            return {"timeInForce": "GTC", "quantity": text(self.lot * lots), "price": text(price)}

        self.other.place(opens, "LIMIT", **at(4, 8))
        self.other.place(closes, "LIMIT", **at(1, 7))
        self.desk.place(closes, "LIMIT", **at(1, 8))
        until(lambda: self.amount() == 0, "the position is liquidated")
        self.other.cancel_all()
        told = self.desk.forced("LIQUIDATION")[-1]
        true(told["clientOrderId"].startswith("autoclose-"), f"a liquidation: {told}")
        equal(Decimal(told["executedQty"]), 9 * self.lot)
        opposite = self.other.forced("ADL")[-1]
        equal((opposite["clientOrderId"], Decimal(opposite["executedQty"])), ("adl_autoclose", 6 * self.lot))
        equal(self.other.positions(), [])
        self.desk.leverage(20)
        self.desk.margin_type("CROSSED")

    def funding_is_paid(self):
        self.meet("BUY", 1)
        end = time.monotonic() + FUNDING_WITHIN_S
        while not self.desk.income("FUNDING_FEE"):
            true(time.monotonic() < end, "no funding in time")
            time.sleep(1)
        self.meet("SELL", 1, reduceOnly="true")
        equal(self.desk.positions(), [])

    def _own(self):
        return [row for row in self.desk.all_orders() if row["orderId"] not in self.before]

    def every_event_came(self):
        orders = {row["orderId"]: row for row in self._own()}

        def last():
            return {event["i"]: event["X"] for event in self._updates()}

        until(lambda: all(last().get(id) == row["status"] for id, row in orders.items()), "the end of every order")
        if self.every_event:
            told = [event["t"] for event in self._updates() if event["x"] in ("TRADE", "CALCULATED")]
            equal(sorted(told), sorted(row["id"] for row in self.desk.trades()), "each fill once")
            causes = {event["a"]["m"] for event in self.heard if event["e"] == "ACCOUNT_UPDATE"}
            true({"ORDER", "MARGIN_TRANSFER", "FUNDING_FEE"} <= causes, f"why the account changed: {causes}")

    def _updates(self):
        return [event["o"] for event in self.heard if event["e"] == "ORDER_TRADE_UPDATE"]

    def the_balance_is_explained(self):
        trades = self.desk.trades()
        result = sum(Decimal(row["realizedPnl"]) - Decimal(row["commission"]) for row in trades)

        def explained():
            funding = sum(Decimal(row["income"]) for row in self.desk.income("FUNDING_FEE"))
            return Decimal(self.desk.balance()["balance"]) == self.start + result + funding

        until(explained, "results, fees and funding explain the balance", every_s=0.5)
        row = self.desk.balance()
        equal((Decimal(row["crossWalletBalance"]), Decimal(row["availableBalance"])), (Decimal(row["balance"]),) * 2)

    def the_book_is_left_empty(self):
        """Also after a step that failed: who comes next finds nothing of it."""
        for desk in (self.desk, self.other):
            desk.cancel_all()
        until(lambda: [self.desk.book()[side] for side in ("bids", "asks")] == [[], []], "an empty book")
        fcntl.flock(self.turn, fcntl.LOCK_UN)

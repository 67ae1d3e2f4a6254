"""A bot's day on one market, told in the convention's words; each script tells it in its client's.

A desk is what a script makes of its client, for one key. All of its methods call the client's own and answer what the
exchange said, as it said it (docs/rules/program-api.md "Orders"):

    rules(), best()                 its row of exchangeInfo; bid, quantity, ask and quantity as decimals
    account(), fees(), counts()     the account's rows; its fees on the market; unfilled orders an interval
    place(side, type, **fields), test(side, type, **fields), order(**name), open_orders(), all_orders(), trades(**which)
    open_orders(symbol)             of another market; not every script has it
    cancel(**name), cancel_all(), replace(mode, order_id, side, type, **fields)
    amend(order_id, quantity), old_oco(**fields)    None of a client that has no way to
    oco(**fields), otoco(**fields), list(order_list_id), open_lists(), all_lists(), cancel_list(order_list_id)
    said(error)                     of what the client raises: the exchange's code and text; raises what is not its
"""

import asyncio
import threading
import time
from decimal import ROUND_DOWN, ROUND_UP, Decimal

from common import KEYS, PATIENCE_S, equal, step, true, until

# What the other user has of the base, in USDT: half of its money, the most that it can take from either side.
STOCK_USDT = Decimal(4800)
# What a new user pays, maker or taker, and the smallest amount.
FEE, UNIT = Decimal("0.001"), Decimal("0.00000001")
ENDS = {"FILLED", "CANCELED", "EXPIRED", "REJECTED", "EXPIRED_IN_MATCH"}
# What the exchange says, by code and text.
REJECTED, FILTER = -2010, -1013
INSUFFICIENT = REJECTED, "Account has insufficient balance for requested action."
WOULD_TAKE = REJECTED, "Order would immediately match and take."
WOULD_TRIGGER = REJECTED, "Order would trigger immediately."
DUPLICATE = REJECTED, "Duplicate order sent."
BAD_LEGS = REJECTED, "The relationship of the prices for the orders is not correct."
TOO_CHEAP = FILTER, "Filter failure: NOTIONAL"
BAD_TRAIL = FILTER, "Filter failure: TRAILING_DELTA"
CANCEL_REJECTED = -2011, "Unknown order sent."
NO_SUCH_ORDER = -2013, "Order does not exist."
REPLACED_HALF = -2021, "Order cancel-replace partially failed."
NOT_REPLACED = -2022, "Order cancel-replace failed."
BAD_SIGNATURE = -1022, "Signature for this request is not valid."
BAD_KEY = -2015, "Invalid API-key, IP, or permissions for action."
UNKNOWN_SYMBOL = -1121, "Invalid symbol."


def text(number):
    return f"{number:f}"


def whole(number, unit, rounding=ROUND_DOWN):
    """A number in whole units."""
    return (number / unit).quantize(Decimal(1), rounding) * unit


def best_of(row):
    """Bid, quantity, ask and quantity of a row of best prices."""
    return tuple(Decimal(row[name]) for name in ("bidPrice", "bidQty", "askPrice", "askQty"))


class Desk:
    """What a client has no way to do, unless a script says otherwise."""

    def amend(self, order_id, quantity):
        return None

    def old_oco(self, **fields):
        return None


class Background:
    """A loop of events in a thread of its own, for clients that wait by coroutines."""

    def __init__(self):
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()

    def do(self, coroutine):
        """Its result, waited for here."""
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(PATIENCE_S)

    def begin(self, coroutine):
        """Lets it run, and says what ended it, if that is a failure."""

        def ended(task):
            if not task.cancelled() and task.exception():
                print(f"ended by {task.exception()!r}", flush=True)

        asyncio.run_coroutine_threadsafe(coroutine, self.loop).add_done_callback(ended)


class Day:
    """The steps, in order, at the desks of the bot and of the other user, each of which `make` makes of a key and its
    secret. To `heard` the script adds the account's events as they come; when its client tells no more than the latest of
    an order, it is not `every_event` that is in there."""

    def __init__(self, make, every_event=True):
        self.make, self.every_event, self.heard = make, every_event, []
        self.desk, self.other = (make(*names) for names in KEYS)
        row = self.desk.rules()
        filters = {rule["filterType"]: rule for rule in row["filters"]}
        self.base, self.quote = row["baseAsset"], row["quoteAsset"]
        self.tick = Decimal(filters["PRICE_FILTER"]["tickSize"])
        self.lot = Decimal(filters["LOT_SIZE"]["stepSize"])
        self.start = self.balances()

    def trade(self):
        """Adds the steps of the day's first part."""
        first = [self.the_account_reads_as_a_new_one, self.an_order_at_the_market]
        orders = [self.limits_of_every_kind, self.orders_that_wait_and_an_iceberg, self.cancels]
        rest = [self.a_fill_in_part, self.replacements, self.an_amendment, self.two_orders_of_which_one_cancels_the_other]
        lists = [self.a_pair_of_which_one_fires, self.an_order_that_brings_two_others]
        for each in [*first, *orders, *rest, *lists, self.refusals]:
            step(each)

    def end(self):
        """Adds those of its end."""
        step(self.every_event_came_in_order)
        step(self.all_balances_are_explained_to_the_last_unit)

    # Figures.

    def balances(self):
        """Free and locked, by asset."""
        rows = self.desk.account()["balances"]
        return {row["asset"]: (Decimal(row["free"]), Decimal(row["locked"])) for row in rows}

    def held(self, asset):
        return self.balances().get(asset, (Decimal(0), Decimal(0)))

    def far(self, side, of=Decimal("0.03")):
        """A price so far from the market that nothing reaches it in a day."""
        bid, _, ask, _ = self.desk.best()
        price = bid * (1 - of) if side == "BUY" else ask * (1 + of)
        return text(whole(price, self.tick))

    def crossing(self, side):
        """A price at which an order takes at once."""
        return self.far("SELL" if side == "BUY" else "BUY", Decimal("0.01"))

    def some(self, usdt=20):
        """A quantity of about this worth, a few lots at least."""
        _, _, ask, _ = self.desk.best()
        return text(max(whole(Decimal(usdt) / ask, self.lot, ROUND_UP), 4 * self.lot))

    def limit(self, usdt=20):
        """The fields of a buy that rests far from the market."""
        return {"timeInForce": "GTC", "quantity": self.some(usdt), "price": self.far("BUY")}

    def pair(self, limit):
        """The fields of that buy and of a stop on the other side, of which one cancels the other."""
        stop = {"aboveType": "STOP_LOSS", "aboveStopPrice": self.far("SELL")}
        return {"quantity": limit["quantity"], **stop, "belowType": "LIMIT_MAKER", "belowPrice": limit["price"]}

    # What is expected of answers.

    def refused(self, call, wanted):
        """A call is refused with this code and text."""
        try:
            told = call()
        except Exception as error:  # what a client raises is its own
            equal(self.desk.said(error), wanted)
        else:
            raise AssertionError(f"not refused: {told}")

    def looked_up(self, placed, **wanted):
        """The order as a look-up tells it."""
        order = self.desk.order(orderId=placed["orderId"])
        equal({name: order[name] for name in wanted}, wanted, f"order {placed['orderId']}")
        equal(order["clientOrderId"], placed["clientOrderId"])
        return order

    # The steps.

    def the_account_reads_as_a_new_one(self):
        account = self.desk.account()
        equal((account["canTrade"], account["accountType"]), (True, "SPOT"))
        true(self.start[self.quote][0] > 5000 and self.start[self.quote][1] == 0, "there is money to trade with")
        equal(self.desk.open_orders(), [])
        equal(self.desk.all_orders(), [])
        equal(self.desk.trades(), [])
        true(self.desk.fees(), "fees on the market")
        true({row["interval"] for row in self.desk.counts()} == {"SECOND", "DAY"}, "two intervals are counted")

    def an_order_at_the_market(self):
        by_worth = self.desk.place("BUY", "MARKET", quoteOrderQty="900", newOrderRespType="FULL")
        equal((by_worth["status"], by_worth["type"]), ("FILLED", "MARKET"))
        true(880 < Decimal(by_worth["cummulativeQuoteQty"]) <= 900, "no more than asked for")
        filled = sum(Decimal(fill["qty"]) for fill in by_worth["fills"])
        equal(filled, Decimal(by_worth["executedQty"]))
        equal({fill["commissionAsset"] for fill in by_worth["fills"]}, {self.base}, "fees are of what is received")
        self.looked_up(by_worth, status="FILLED", origQuoteOrderQty="900.00000000")
        sold = self.desk.place("SELL", "MARKET", quantity=self.some(40), newOrderRespType="FULL")
        equal({fill["commissionAsset"] for fill in sold["fills"]}, {self.quote})
        equal(len(self.desk.trades(orderId=sold["orderId"])), len(sold["fills"]))

    def limits_of_every_kind(self):
        low, quantity = self.far("BUY"), self.some()
        rests = self.desk.place("BUY", "LIMIT", timeInForce="GTC", quantity=quantity, price=low)
        order = self.looked_up(rests, status="NEW", type="LIMIT", timeInForce="GTC", isWorking=True)
        equal((Decimal(order["price"]), Decimal(order["origQty"])), (Decimal(low), Decimal(quantity)))
        for side in ("BUY", "SELL"):
            for in_force in ("IOC", "FOK"):
                limit = {"timeInForce": in_force, "quantity": quantity, "newOrderRespType": "RESULT"}
                taken = self.desk.place(side, "LIMIT", price=self.crossing(side), **limit)
                self.looked_up(taken, status="FILLED", timeInForce=in_force)
                missed = self.desk.place(side, "LIMIT", price=self.far(side), **limit)
                self.looked_up(missed, status="EXPIRED", executedQty="0.00000000")
        maker = self.desk.place("SELL", "LIMIT_MAKER", quantity=quantity, price=self.far("SELL"))
        self.looked_up(maker, status="NEW", type="LIMIT_MAKER")
        taking = {"quantity": quantity, "price": self.crossing("BUY")}
        self.refused(lambda: self.desk.place("BUY", "LIMIT_MAKER", **taking), WOULD_TAKE)
        before = len(self.desk.open_orders())
        equal(self.desk.test("BUY", "LIMIT", timeInForce="GTC", quantity=quantity, price=low), {})
        equal(len(self.desk.open_orders()), before, "a tested order is not placed")

    def orders_that_wait_and_an_iceberg(self):
        low, high, quantity = self.far("BUY"), self.far("SELL"), self.some()
        gtc = {"timeInForce": "GTC"}
        wishes = [
            ("SELL", "STOP_LOSS", {"stopPrice": low}),
            ("SELL", "STOP_LOSS_LIMIT", {"stopPrice": low, "price": low, **gtc}),
            ("SELL", "TAKE_PROFIT", {"stopPrice": high}),
            ("SELL", "TAKE_PROFIT_LIMIT", {"stopPrice": high, "price": high, **gtc}),
            ("SELL", "STOP_LOSS", {"trailingDelta": 500}),
            ("BUY", "STOP_LOSS", {"stopPrice": high}),
            ("BUY", "TAKE_PROFIT_LIMIT", {"stopPrice": low, "price": low, **gtc}),
        ]
        for side, kind, fields in wishes:
            placed = self.desk.place(side, kind, quantity=quantity, **fields)
            order = self.looked_up(placed, status="NEW", type=kind, side=side)
            told = {name: Decimal(str(order[name])) for name in fields if name != "timeInForce"}
            equal(told, {name: Decimal(str(fields[name])) for name in told})
            true("trailingDelta" in fields or order["isWorking"] is False, "it waits")
        part = text(whole(Decimal(quantity) / 2, self.lot))
        iceberg = self.desk.place("BUY", "LIMIT", quantity=quantity, price=low, icebergQty=part, **gtc)
        equal(Decimal(self.looked_up(iceberg, status="NEW")["icebergQty"]), Decimal(part))
        late = {"quantity": quantity, "stopPrice": high}
        self.refused(lambda: self.desk.place("SELL", "STOP_LOSS", **late), WOULD_TRIGGER)
        self.refused(lambda: self.desk.place("SELL", "STOP_LOSS", quantity=quantity, trailingDelta=5), BAD_TRAIL)

    def cancels(self):
        limit = self.limit()
        by_id = self.desk.place("BUY", "LIMIT", **limit)
        ended = self.desk.cancel(orderId=by_id["orderId"])
        equal((ended["status"], ended["origClientOrderId"]), ("CANCELED", by_id["clientOrderId"]))
        self.looked_up(by_id, status="CANCELED", executedQty="0.00000000")
        self.refused(lambda: self.desk.cancel(orderId=by_id["orderId"]), CANCEL_REJECTED)
        by_name = self.desk.place("BUY", "LIMIT", newClientOrderId="a-name", **limit)
        equal(by_name["clientOrderId"], "a-name")
        self.refused(lambda: self.desk.place("BUY", "LIMIT", newClientOrderId="a-name", **limit), DUPLICATE)
        equal(self.desk.order(origClientOrderId="a-name")["orderId"], by_name["orderId"])
        equal(self.desk.cancel(origClientOrderId="a-name")["status"], "CANCELED")
        self.desk.place("BUY", "LIMIT", **limit)
        true(len(self.desk.open_orders()) > 5, "those of the steps before are open")
        ended = self.desk.cancel_all()
        equal({order["status"] for order in ended}, {"CANCELED"})
        equal(self.desk.open_orders(), [])
        equal(self.held(self.quote)[1] + self.held(self.base)[1], 0, "nothing is locked")

    def a_fill_in_part(self):
        """The other user takes what is quoted ahead of the bot's order and a part of that. When the market moved in
        between, it is done again; what is filled then stays with the bot."""
        quantity, part = Decimal(self.some(60)), Decimal(self.some(20))
        self.other.place("BUY", "MARKET", quoteOrderQty=text(STOCK_USDT))
        end, done = time.monotonic() + 4 * PATIENCE_S, False
        while not done:
            theirs = {row["asset"]: Decimal(row["free"]) for row in self.other.account()["balances"]}
            mine = {asset: free for asset, (free, _) in self.balances().items()}
            sides = []
            until(
                lambda: sides.append(self._side_to_take(mine, theirs, quantity, part)) or sides[-1],
                "a level that can be taken",
            )
            done = self._filled_in_part(quantity, part, *sides[-1])
            true(time.monotonic() < end, "no fill in part")

    def _filled_in_part(self, quantity, part, side, price, ahead):
        limit = {"quantity": text(quantity), "price": text(price)}
        rested = self.desk.place(side, "LIMIT", timeInForce="GTC", **limit)
        against = {"quantity": text(ahead + part), "price": text(price), "newOrderRespType": "FULL"}
        theirs = self.other.place("SELL" if side == "BUY" else "BUY", "LIMIT", timeInForce="IOC", **against)
        order = self.desk.order(orderId=rested["orderId"])
        if order["status"] not in ENDS:
            ended = self.desk.cancel(orderId=rested["orderId"])
            equal(ended["status"], "CANCELED")
        shared = {fill["tradeId"] for fill in theirs["fills"]}
        mine = [trade for trade in self.desk.trades(orderId=rested["orderId"]) if trade["id"] in shared]
        if order["status"] != "PARTIALLY_FILLED" or not mine:
            return False
        true(all(trade["isMaker"] for trade in mine), "the bot's order rested")
        true(0 < Decimal(order["executedQty"]) < quantity, "a part")
        self.looked_up(rested, status="CANCELED")
        return True

    def _side_to_take(self, mine, theirs, quantity, part):
        """The side on which the bot is to rest, the price and the quantity there: the other user can take that, and the
        bot has enough left for the steps that follow, should its order be filled whole."""
        bid, bid_ahead, ask, ask_ahead = self.desk.best()
        sides = []
        if bid_ahead + part <= theirs.get(self.base, 0) and bid * 3 * quantity <= mine[self.quote]:
            sides.append((bid * bid_ahead, "BUY", bid, bid_ahead))
        if ask * (ask_ahead + part) <= theirs[self.quote] and 3 * quantity <= mine.get(self.base, 0):
            sides.append((ask * ask_ahead, "SELL", ask, ask_ahead))
        return min(sides)[1:] if sides else None

    def replacements(self):
        quantity = self.some()
        limit = {"timeInForce": "GTC", "quantity": quantity}
        placed = self.desk.place("BUY", "LIMIT", price=self.far("BUY"), **limit)
        for mode in ("STOP_ON_FAILURE", "ALLOW_FAILURE"):
            told = self.desk.replace(mode, placed["orderId"], "BUY", "LIMIT", price=self.far("BUY"), **limit)
            equal((told["cancelResult"], told["newOrderResult"]), ("SUCCESS", "SUCCESS"))
            equal(told["cancelResponse"]["orderId"], placed["orderId"])
            placed = told["newOrderResponse"]
        gone = told["cancelResponse"]["orderId"]

        def again(mode):
            return lambda: self.desk.replace(mode, gone, "BUY", "LIMIT", price=self.far("BUY"), **limit)

        self.refused(again("STOP_ON_FAILURE"), NOT_REPLACED)
        equal(len(self.desk.open_orders()), 1, "the new one was not tried")
        self.refused(again("ALLOW_FAILURE"), REPLACED_HALF)
        equal(len(self.desk.open_orders()), 2, "the new one was placed")
        self.desk.cancel_all()

    def an_amendment(self):
        limit = self.limit(40)
        placed = self.desk.place("BUY", "LIMIT", **limit)
        smaller = text(whole(Decimal(limit["quantity"]) / 2, self.lot))
        told = self.desk.amend(placed["orderId"], smaller)
        if told is not None:
            amended = told["amendedOrder"]
            equal((amended["orderId"], Decimal(amended["qty"])), (placed["orderId"], Decimal(smaller)))
            equal(Decimal(self.looked_up({**placed, **amended}, status="NEW")["origQty"]), Decimal(smaller))
        self.desk.cancel_all()

    def two_orders_of_which_one_cancels_the_other(self):
        quantity, low, high = self.some(), self.far("BUY"), self.far("SELL")
        fields = {
            "quantity": quantity,
            "aboveType": "LIMIT_MAKER",
            "abovePrice": high,
            "belowType": "STOP_LOSS_LIMIT",
            "belowStopPrice": low,
            "belowPrice": low,
            "belowTimeInForce": "GTC",
        }
        both = self.desk.oco(side="SELL", **fields)
        equal((both["contingencyType"], both["listOrderStatus"], len(both["orders"])), ("OCO", "EXECUTING", 2))
        equal(self.held(self.base)[1], Decimal(quantity), "locked once")
        equal(self.desk.list(both["orderListId"])["listStatusType"], "EXEC_STARTED")
        equal([row["orderListId"] for row in self.desk.open_lists()], [both["orderListId"]])
        equal(self.desk.cancel_list(both["orderListId"])["listOrderStatus"], "ALL_DONE")
        turned = {**fields, "abovePrice": low, "belowStopPrice": high, "belowPrice": high}
        self.refused(lambda: self.desk.oco(side="SELL", **turned), BAD_LEGS)
        lists = [self.desk.oco(side="BUY", **self.pair(self.limit()))]
        old = {"price": high, "stopPrice": low, "stopLimitPrice": low, "stopLimitTimeInForce": "GTC"}
        second = self.desk.old_oco(side="SELL", quantity=quantity, **old)
        for told in [*lists, *([second] if second else [])]:
            self.desk.cancel(orderId=told["orders"][0]["orderId"])
            states = [self.desk.order(orderId=leg["orderId"])["status"] for leg in told["orders"]]
            equal(states, ["CANCELED", "CANCELED"], "one leg cancels the other")
        equal(self.desk.open_lists(), [])
        equal({row["listOrderStatus"] for row in self.desk.all_lists()}, {"ALL_DONE"})

    def a_pair_of_which_one_fires(self):
        """Stops a tick from the latest price; the other user trades at the best prices until one fires."""
        quantity, both = self.some(), None
        end = time.monotonic() + 4 * PATIENCE_S
        self.other.place("BUY", "MARKET", quantity=quantity)
        while both is None:
            true(time.monotonic() < end, "a pair near the market")
            bid, _, ask, _ = self.desk.best()
            stops = {"belowStopPrice": text(bid), "aboveStopPrice": text(ask + self.tick)}
            try:
                both = self.desk.oco(
                    side="SELL", quantity=quantity, aboveType="TAKE_PROFIT", belowType="STOP_LOSS", **stops
                )
            except Exception as error:  # what a client raises is its own
                # The market has passed one of them already. What is sold first is bought again: no wallet is emptied.
                equal(self.desk.said(error), BAD_LEGS)
                self._both_ways(quantity)
        ids = [leg["orderId"] for leg in both["orders"]]

        def states():
            return {self.desk.order(orderId=leg)["status"] for leg in ids}

        def fired():
            self._both_ways(quantity)
            return "FILLED" in states()

        until(fired, "one fires", every_s=0.1)
        equal(states(), {"FILLED", "EXPIRED"})
        equal(self.held(self.base)[1], 0, "nothing is locked")

    def _both_ways(self, quantity):
        for side in ("SELL", "BUY"):
            self.other.place(side, "MARKET", quantity=quantity)

    def bracket(self, price):
        """The fields of a buy at this price that brings a profit and a loss, of which one cancels the other."""
        quantity = Decimal(self.some(40))
        working = {
            "workingType": "LIMIT",
            "workingTimeInForce": "GTC",
            "workingSide": "BUY",
            "workingQuantity": text(quantity),
            "workingPrice": price,
        }
        # The fee is taken off what is bought.
        pending = {
            "pendingSide": "SELL",
            "pendingQuantity": text(whole(quantity / 2, self.lot)),
            "pendingAboveType": "LIMIT_MAKER",
            "pendingAbovePrice": self.far("SELL"),
            "pendingBelowType": "STOP_LOSS",
            "pendingBelowStopPrice": self.far("BUY"),
        }
        return {**working, **pending}

    def an_order_that_brings_two_others(self):
        def states(told):
            return [self.desk.order(orderId=leg["orderId"])["status"] for leg in told["orders"]]

        rests = self.desk.otoco(**self.bracket(self.far("BUY")))
        equal((rests["contingencyType"], len(rests["orders"])), ("OTO", 3))
        equal(states(rests), ["NEW", "PENDING_NEW", "PENDING_NEW"])
        equal(self.desk.cancel_list(rests["orderListId"])["listOrderStatus"], "ALL_DONE")
        equal(states(rests), ["CANCELED"] * 3)
        before = self.held(self.base)[1]
        filled = self.desk.otoco(**self.bracket(self.crossing("BUY")))
        until(lambda: states(filled) == ["FILLED", "NEW", "NEW"], "both are placed")
        true(self.held(self.base)[1] > before, "locked once they are placed")
        self.desk.cancel(orderId=filled["orders"][1]["orderId"])
        equal(states(filled), ["FILLED", "CANCELED", "CANCELED"])

    def refusals(self):
        limit = self.limit()
        self.refused(lambda: self.desk.place("BUY", "LIMIT", **self.limit(100_000)), INSUFFICIENT)
        self.refused(lambda: self.desk.place("BUY", "LIMIT", **{**limit, "quantity": text(self.lot)}), TOO_CHEAP)
        self.refused(lambda: self.desk.order(orderId=1), NO_SUCH_ORDER)
        self.refused(lambda: self.desk.cancel(origClientOrderId="nobody"), CANCEL_REJECTED)
        equal(self.desk.open_orders(), [])

    def errors_are_its_own_with_the_conventions_codes(self):
        key, secret = KEYS[0]
        self.refused(lambda: self.make(key, "x" * 64).account(), BAD_SIGNATURE)
        self.refused(lambda: self.make("x" * 64, secret).account(), BAD_KEY)
        self.refused(lambda: self.desk.open_orders("NOSUCH"), UNKNOWN_SYMBOL)

    def every_event_came_in_order(self):
        orders = {order["orderId"]: order for order in self.desk.all_orders()}
        trades = self.desk.trades()
        until(lambda: self._told_all(orders, trades), "what happened is told")
        for order in orders.values():
            reports = [event for event in self._reports() if event["i"] == order["orderId"]]
            own = [trade for trade in trades if trade["orderId"] == order["orderId"]]
            self._tells_of(order, reports, own)
        numbers = [event["I"] for event in self._reports()]
        equal(len(numbers), len(set(numbers)), "each report has a number of its own")
        told, now = self._positions(), self.balances()
        equal(told, {asset: now[asset] for asset in told}, "the positions that were told last")
        true({self.base, self.quote} <= set(told), "of both assets")

    def _reports(self):
        return [event for event in self.heard if event["e"] == "executionReport"]

    def _told_all(self, orders, trades):
        ended = {event["i"] for event in self._reports() if event["X"] in ENDS}
        filled = {event["t"] for event in self._reports() if event["x"] == "TRADE"}
        return set(orders) <= ended and {trade["id"] for trade in trades} <= filled and self._positions_follow()

    def _positions(self):
        """What was told last of each asset."""
        events = [event for event in self.heard if event["e"] == "outboundAccountPosition"]
        return {row["a"]: (Decimal(row["f"]), Decimal(row["l"])) for event in events for row in event["B"]}

    def _positions_follow(self):
        if not self.every_event:
            now = self.balances()
            return all(now[asset] == position for asset, position in self._positions().items())
        told = {event["u"] for event in self.heard if event["e"] == "outboundAccountPosition"}
        return {event["T"] for event in self._reports() if event["x"] == "TRADE"} <= told

    def _tells_of(self, order, reports, trades):
        """A report of its beginning, then of its fills with their sums, and of its end at last."""
        about = f"order {order['orderId']}: {[(r['x'], r['X'], r['z']) for r in reports]}"
        equal((reports[-1]["X"], Decimal(reports[-1]["z"])), (order["status"], Decimal(order["executedQty"])), about)
        true(all(report["X"] not in ENDS for report in reports[:-1]), f"nothing behind the end: {about}")
        sums = [Decimal(report["z"]) for report in reports]
        equal(sums, sorted(sums), about)
        fills = {report["t"]: report for report in reports if report["x"] == "TRADE"}
        equal(sorted(fills), sorted(trade["id"] for trade in trades), about)
        for trade in trades:
            fill = fills[trade["id"]]
            told = (fill["L"], fill["l"], fill["n"], fill["N"], fill["m"])
            equal(told, (trade["price"], trade["qty"], trade["commission"], trade["commissionAsset"], trade["isMaker"]))
        if not self.every_event:
            return
        # What another order brings is pending first; one that waits is new again when its price comes.
        begins = [report["X"] for report in reports if report["x"] == "NEW"]
        true(begins[0] in ("NEW", "PENDING_NEW") and set(begins[1:]) <= {"NEW"}, about)
        equal(reports[0]["x"], "NEW", about)
        filled = spent = Decimal(0)
        for report in reports:
            filled, spent = filled + Decimal(report["l"]), spent + Decimal(report["Y"])
            equal((Decimal(report["z"]), Decimal(report["Z"])), (filled, spent), about)
        equal(spent, Decimal(order["cummulativeQuoteQty"]), about)

    def all_balances_are_explained_to_the_last_unit(self):
        equal(self.desk.open_orders(), [])
        expected = {asset: free + locked for asset, (free, locked) in self.start.items()}
        expected.setdefault(self.base, Decimal(0))
        trades = self.desk.trades()
        for trade in trades:
            sign = 1 if trade["isBuyer"] else -1
            expected[self.base] += sign * Decimal(trade["qty"])
            expected[self.quote] -= sign * Decimal(trade["quoteQty"])
            equal(Decimal(trade["quoteQty"]), Decimal(trade["price"]) * Decimal(trade["qty"]))
            fee = Decimal(trade["commission"])
            expected[trade["commissionAsset"]] -= fee
            received = Decimal(trade["qty"] if trade["isBuyer"] else trade["quoteQty"])
            true(abs(fee - received * FEE) < UNIT, f"a fee of {FEE} of what is received: {trade}")
        now = self.balances()
        held = {asset: free + locked for asset, (free, locked) in now.items()}
        equal(held, {asset: expected.get(asset, 0) for asset in now})
        equal({asset for asset, (_, locked) in now.items() if locked}, set(), "nothing is locked")
        true(any(trade["isMaker"] for trade in trades) and any(trade["isBuyer"] for trade in trades), "there was trading")

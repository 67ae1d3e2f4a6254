"""ccxt's binanceusdm and ccxt.pro's: a bot's day on a contract by unified methods, and by implicit ones for what has none."""

import ccxt
import ccxt.pro
from common import CCXT_URLS, KEYS, TIMEOUT_MS, equal, run, step, true, until
from day import Background
from futures_day import FuturesDay

SYMBOL, PAIR = "ETHUSDT", "ETH/USDT:USDT"
IDS = {"id", "orderId", "i", "t"}


def settings(key, secret):
    return {"apiKey": key, "secret": secret, "urls": CCXT_URLS, "timeout": TIMEOUT_MS}


def raw(told):
    """What the exchange said; ccxt makes texts of all numbers, of which ids are numbers again here."""
    if isinstance(told, list):
        return [raw(row) for row in told]
    if not isinstance(told, dict):
        return told
    return {name: int(value) if name in IDS and str(value).isdigit() else raw(value) for name, value in told.items()}


class Ccxt:
    def __init__(self, key, secret):
        self.client = ccxt.binanceusdm(settings(key, secret))
        self.client.load_markets()

    def rules(self):
        return self.client.fapipublic_get_exchangeinfo()["symbols"][1]

    def premium(self):
        return self.client.fetch_funding_rate(PAIR)["info"]

    def best(self):
        row = self.client.fetch_bids_asks([PAIR])[PAIR]
        return [price or None for price in (row["bid"], row["ask"])]

    def book(self):
        return self.client.fetch_order_book(PAIR)

    def candles(self):
        return self.client.fetch_ohlcv(PAIR, "1m")

    def balance(self):
        return next(row for row in self.client.fapiprivatev3_get_balance() if row["asset"] == "USDT")

    def position(self, side="BOTH"):
        rows = [row["info"] for row in self.client.fetch_positions([PAIR])]
        return next((row for row in rows if row["positionSide"] == side), None)

    def positions(self):
        return [row["info"] for row in self.client.fetch_positions() if row["contracts"]]

    def place(self, side, kind, **fields):
        fields = dict(fields)
        amount, price = float(fields.pop("quantity")), fields.pop("price", None)
        if fields.get("reduceOnly") == "true":
            fields["reduceOnly"] = True
        price = None if price is None else float(price)
        return raw(self.client.create_order(PAIR, kind.lower(), side.lower(), amount, price, fields)["info"])

    def order(self, orderId):
        return raw(self.client.fetch_order(str(orderId), PAIR)["info"])

    def open_orders(self):
        return raw([order["info"] for order in self.client.fetch_open_orders(PAIR)])

    def all_orders(self):
        return raw([order["info"] for order in self.client.fetch_orders(PAIR)])

    def cancel(self, orderId):
        return raw(self.client.cancel_order(str(orderId), PAIR)["info"])

    def cancel_all(self):
        return self.client.cancel_all_orders(PAIR)

    def trades(self):
        return raw([trade["info"] for trade in self.client.fetch_my_trades(PAIR)])

    def income(self, kind):
        return self.client.fapiprivate_get_income({"incomeType": kind})

    def leverage(self, multiple):
        equal(int(self.client.set_leverage(multiple, PAIR)["leverage"]), multiple)

    def margin_type(self, word):
        self.client.set_margin_mode("cross" if word == "CROSSED" else "isolated", PAIR)

    def hedge(self, on):
        self.client.set_position_mode(on)

    def margin(self, amount, kind):
        change = self.client.add_margin if kind == 1 else self.client.reduce_margin
        change(PAIR, float(amount))

    def countdown(self, ms):
        told = self.client.fapiprivate_post_countdowncancelall({"symbol": SYMBOL, "countdownTime": ms})
        equal(told, {"symbol": SYMBOL, "countdownTime": str(ms)})

    def forced(self, kind):
        return [row["info"] for row in self.client.fetch_my_liquidations(PAIR, params={"autoCloseType": kind})]

    def quantile(self):
        return self.client.fetch_positions_adl_rank([PAIR])[0]["info"]["adlQuantile"]

    def said(self, error):
        if not isinstance(error, ccxt.ExchangeError):
            raise error
        return int(str(error).split('"code":')[1].split(",")[0])


background, day = Background(), FuturesDay(Ccxt, SYMBOL, every_event=False)
desk, books = day.desk, []


async def opened():
    return ccxt.pro.binanceusdm(settings(*KEYS[0]))


async def orders_of(client):
    while True:
        for order in await client.watch_orders(PAIR):
            day.heard.append({"e": "ORDER_TRADE_UPDATE", "o": raw(order["info"])})


async def books_of(client):
    while True:
        book = await client.watch_order_book(PAIR)
        books.append((list(book["bids"]), list(book["asks"])))


stream = background.do(opened())
background.begin(orders_of(stream))
background.begin(books_of(stream))


@step
def unified_reads():
    client = desk.client
    market = client.market(PAIR)
    equal((market["linear"], market["contractSize"], market["settle"]), (True, 1, "USDT"))
    true(client.fetch_balance()["USDT"]["total"] > 0, "a balance")
    equal(client.fetch_leverage_tiers([PAIR])[PAIR][0]["maxLeverage"], 100)
    equal(client.fetch_trading_fee(PAIR)["taker"], 0.0005)
    true(isinstance(client.fetch_trades(PAIR), list), "trades")
    true(client.fetch_ticker(PAIR)["symbol"] == PAIR, "a ticker")
    true(isinstance(client.fetch_funding_rate_history(PAIR), list), "rates")
    true(client.fetch_open_interest(PAIR)["symbol"] == PAIR, "open interest")
    true(client.fetch_mark_price(PAIR)["markPrice"] > 0, "a mark")
    true(client.fetch_time() > 0, "a time")


async def by_websocket(client, price):
    """What the websocket API answers to an order's life and about the account."""
    terms = (PAIR, "limit", "buy")
    order = await client.create_order_ws(*terms, float(2 * day.lot), price)
    await client.edit_order_ws(order["id"], *terms, float(day.lot), price)
    equal((await client.fetch_order_ws(order["id"], PAIR))["amount"], float(day.lot))
    equal((await client.cancel_order_ws(order["id"], PAIR))["status"], "canceled")
    true((await client.fetch_balance_ws())["USDT"]["total"] > 0, "a balance")
    true(isinstance(await client.fetch_positions_ws([PAIR]), list), "positions")


@step
def the_websocket_api_answers():
    background.do(by_websocket(stream, float(day.price(-2))))


day.trade()


@step
def the_stream_keeps_a_book():
    before = len(books)
    order = desk.place("BUY", "LIMIT", **day.limit(1, -2))
    until(lambda: len(books) > before and books[-1][0], "a bid")
    desk.cancel(orderId=order["orderId"])


@step
def the_stream_ends():
    background.do(stream.close())


run()

"""python-binance: a bot's day on a contract by its REST client's futures calls and its futures sockets."""

from decimal import Decimal

from binance.async_client import AsyncClient
from binance.base_client import BaseClient
from binance.client import Client
from binance.exceptions import BinanceAPIException
from binance.ws.streams import BinanceSocketManager
from common import KEYS, PATIENT, address_python_binance, equal, run, step, true, until
from day import Background, text
from futures_day import FuturesDay

address_python_binance(BaseClient, BinanceSocketManager)
SYMBOL = "BTCUSDT"


def of_usdt(rows):
    return next(row for row in rows if row["asset"] == "USDT")


class PythonBinance:
    def __init__(self, key, secret):
        self.client = Client(key, secret, **PATIENT)

    def rules(self):
        return next(row for row in self.client.futures_exchange_info()["symbols"] if row["symbol"] == SYMBOL)

    def premium(self):
        return self.client.futures_mark_price(symbol=SYMBOL)

    def best(self):
        row = self.client.futures_orderbook_ticker(symbol=SYMBOL)
        return [price if float(price) else None for price in (row["bidPrice"], row["askPrice"])]

    def book(self):
        return self.client.futures_order_book(symbol=SYMBOL)

    def candles(self):
        return self.client.futures_klines(symbol=SYMBOL, interval="1m")

    def balance(self):
        return of_usdt(self.client.futures_account_balance())

    def position(self, side="BOTH"):
        rows = self.client.futures_position_information(symbol=SYMBOL)
        return next((row for row in rows if row["positionSide"] == side), None)

    def positions(self):
        return [row for row in self.client.futures_position_information() if float(row["positionAmt"])]

    def place(self, side, kind, **fields):
        return self.client.futures_create_order(symbol=SYMBOL, side=side, type=kind, **fields)

    def order(self, **name):
        return self.client.futures_get_order(symbol=SYMBOL, **name)

    def open_orders(self):
        return self.client.futures_get_open_orders(symbol=SYMBOL)

    def all_orders(self):
        return self.client.futures_get_all_orders(symbol=SYMBOL)

    def cancel(self, **name):
        return self.client.futures_cancel_order(symbol=SYMBOL, **name)

    def cancel_all(self):
        return self.client.futures_cancel_all_open_orders(symbol=SYMBOL)

    def trades(self):
        return self.client.futures_account_trades(symbol=SYMBOL)

    def income(self, kind):
        return self.client.futures_income_history(incomeType=kind)

    def leverage(self, multiple):
        equal(self.client.futures_change_leverage(symbol=SYMBOL, leverage=multiple)["leverage"], multiple)

    def margin_type(self, word):
        equal(self.client.futures_change_margin_type(symbol=SYMBOL, marginType=word)["code"], 200)

    def hedge(self, on):
        equal(self.client.futures_change_position_mode(dualSidePosition=on)["code"], 200)
        equal(self.client.futures_get_position_mode(), {"dualSidePosition": on})

    def margin(self, amount, kind):
        told = self.client.futures_change_position_margin(symbol=SYMBOL, amount=amount, type=kind)
        equal(told["type"], kind)

    def countdown(self, ms):
        told = self.client.futures_countdown_cancel_all(symbol=SYMBOL, countdownTime=ms)
        equal(told, {"symbol": SYMBOL, "countdownTime": str(ms)})

    def forced(self, kind):
        return self.client.futures_liquidation_orders(symbol=SYMBOL, autoCloseType=kind)

    def quantile(self):
        return self.client.futures_adl_quantile_estimate(symbol=SYMBOL)[0]["adlQuantile"]

    def said(self, error):
        if not isinstance(error, BinanceAPIException):
            raise error
        return error.code


background, day = Background(), FuturesDay(PythonBinance, SYMBOL)
desk, public = day.desk, []


async def opened():
    client = await AsyncClient.create(*KEYS[0], **PATIENT)
    sockets = BinanceSocketManager(client)
    user = await sockets.futures_user_socket().__aenter__()
    market = await sockets.futures_multiplex_socket(
        [f"{SYMBOL.lower()}@{kind}" for kind in ("markPrice@1s", "aggTrade", "bookTicker")]
    ).__aenter__()
    return user, market


async def listen(socket, heard):
    while True:
        heard.append(await socket.recv())


user, market = background.do(opened())
background.begin(listen(user, day.heard))
background.begin(listen(market, public))


@step
def the_account_reads():
    account = desk.client.futures_account()
    equal(account["totalWalletBalance"], desk.balance()["balance"])
    equal(of_usdt(account["assets"])["walletBalance"], desk.balance()["balance"])
    equal(desk.client.futures_get_multi_assets_mode(), {"multiAssetsMargin": False})
    brackets = desk.client.futures_leverage_bracket(symbol=SYMBOL)
    brackets = brackets[0] if isinstance(brackets, list) else brackets
    equal(brackets["brackets"][0]["initialLeverage"], 100)
    equal(desk.client.futures_commission_rate(symbol=SYMBOL)["takerCommissionRate"], "0.00050000")
    equal(desk.client.futures_account_config()["dualSidePosition"], False)
    true(desk.client.futures_symbol_config(symbol=SYMBOL)[0]["leverage"] > 0, "a multiple")


@step
def the_market_reads():
    client = desk.client
    equal(client.futures_ping(), {})
    true(client.futures_time()["serverTime"] > 0, "a time")
    for rows in (
        client.futures_recent_trades(symbol=SYMBOL),
        client.futures_aggregate_trades(symbol=SYMBOL),
        client.futures_mark_price_klines(symbol=SYMBOL, interval="1m"),
        client.futures_index_price_klines(pair=SYMBOL, interval="1m"),
        client.futures_premium_index_klines(symbol=SYMBOL, interval="1m"),
        client.futures_continuous_klines(pair=SYMBOL, contractType="PERPETUAL", interval="1m"),
        client.futures_funding_rate(symbol=SYMBOL),
        client.futures_symbol_ticker(),
        client.futures_orderbook_ticker(),
        client.futures_ticker(),
    ):
        true(isinstance(rows, list), f"a list: {rows}")
    equal(client.futures_open_interest(symbol=SYMBOL)["symbol"], SYMBOL)


async def by_websocket(price):
    """What the websocket API answers to an order's life and about the account."""
    client = await AsyncClient.create(*KEYS[0], **PATIENT)
    try:
        terms = {"symbol": SYMBOL, "side": "BUY", "price": text(price)}
        more = {"type": "LIMIT", "timeInForce": "GTC", "quantity": text(2 * day.lot)}
        order = await client.ws_futures_create_order(**terms, **more)
        name = {"symbol": SYMBOL, "orderId": order["orderId"]}
        changed = await client.ws_futures_edit_order(**terms, orderId=order["orderId"], quantity=text(day.lot))
        equal(Decimal(changed["origQty"]), day.lot)
        equal((await client.ws_futures_get_order(**name))["status"], "NEW")
        equal((await client.ws_futures_cancel_order(**name))["status"], "CANCELED")
        for call in (client.ws_futures_account_balance, client.ws_futures_v2_account_balance):
            true(of_usdt(await call()), call.__name__)
        for call in (client.ws_futures_account_status, client.ws_futures_v2_account_status):
            true(float((await call())["totalWalletBalance"]) > 0, call.__name__)
        for call in (client.ws_futures_account_position, client.ws_futures_v2_account_position):
            true(isinstance(await call(), list), call.__name__)
        true((await client.ws_futures_get_order_book(symbol=SYMBOL))["lastUpdateId"] > 0, "a book")
        equal((await client.ws_futures_get_order_book_ticker(symbol=SYMBOL))["symbol"], SYMBOL)
        true(isinstance(await client.ws_futures_get_all_tickers(), list), "prices")
    finally:
        await client.close_connection()


@step
def the_websocket_api_answers():
    background.do(by_websocket(day.price(-2)))


day.trade()


@step
def the_streams_told_it():
    wanted = {"markPriceUpdate", "aggTrade", "bookTicker"}
    until(lambda: wanted <= {row["data"]["e"] for row in public}, "every stream told something")


run()

"""binance-futures-connector: a bot's day on a contract by its REST client and its stream client."""

import json

from binance.error import ClientError
from binance.um_futures import UMFutures
from binance.websocket.um_futures.websocket_client import UMFuturesWebsocketClient
from common import BASE, KEYS, WS, equal, run, step, true, until
from futures_day import FuturesDay

SYMBOL = "ETHUSDT"


class Connector:
    def __init__(self, key, secret):
        self.client = UMFutures(key, secret, base_url=BASE)

    def rules(self):
        return next(row for row in self.client.exchange_info()["symbols"] if row["symbol"] == SYMBOL)

    def premium(self):
        return self.client.mark_price(SYMBOL)

    def best(self):
        row = self.client.book_ticker(SYMBOL)
        return [price if float(price) else None for price in (row["bidPrice"], row["askPrice"])]

    def book(self):
        return self.client.depth(SYMBOL)

    def candles(self):
        return self.client.klines(SYMBOL, "1m")

    def balance(self):
        return next(row for row in self.client.balance() if row["asset"] == "USDT")

    def position(self, side="BOTH"):
        rows = self.client.get_position_risk(symbol=SYMBOL)
        return next((row for row in rows if row["positionSide"] == side), None)

    def positions(self):
        return [row for row in self.client.get_position_risk() if float(row["positionAmt"])]

    def place(self, side, kind, **fields):
        return self.client.new_order(SYMBOL, side, kind, **fields)

    def order(self, orderId):
        return self.client.query_order(SYMBOL, orderId)

    def open_orders(self):
        return self.client.get_orders(symbol=SYMBOL)

    def all_orders(self):
        return self.client.get_all_orders(SYMBOL)

    def cancel(self, orderId):
        return self.client.cancel_order(SYMBOL, orderId)

    def cancel_all(self):
        return self.client.cancel_open_orders(SYMBOL)

    def trades(self):
        return self.client.get_account_trades(SYMBOL)

    def income(self, kind):
        return self.client.get_income_history(incomeType=kind)

    def leverage(self, multiple):
        equal(self.client.change_leverage(SYMBOL, multiple)["leverage"], multiple)

    def margin_type(self, word):
        equal(self.client.change_margin_type(SYMBOL, word)["code"], 200)

    def hedge(self, on):
        equal(self.client.change_position_mode("true" if on else "false")["code"], 200)
        equal(self.client.get_position_mode(), {"dualSidePosition": on})

    def margin(self, amount, kind):
        equal(self.client.modify_isolated_position_margin(SYMBOL, float(amount), kind)["type"], kind)

    def countdown(self, ms):
        equal(self.client.countdown_cancel_order(SYMBOL, ms), {"symbol": SYMBOL, "countdownTime": str(ms)})

    def forced(self, kind):
        return self.client.force_orders(symbol=SYMBOL, autoCloseType=kind)

    def quantile(self):
        return self.client.adl_quantile(symbol=SYMBOL)[0]["adlQuantile"]

    def said(self, error):
        if not isinstance(error, ClientError):
            raise error
        return error.error_code


day = FuturesDay(Connector, SYMBOL)
desk, public = day.desk, []


def heard(_, text):
    event = json.loads(text)
    if "e" in event:
        (public if event["e"] in ("markPriceUpdate", "aggTrade", "depthUpdate") else day.heard).append(event)


stream = UMFuturesWebsocketClient(stream_url=WS + "/fapi", on_message=heard)
stream.user_data(desk.client.new_listen_key()["listenKey"])
stream.mark_price(SYMBOL, 1)
stream.agg_trade(SYMBOL)
stream.diff_book_depth(SYMBOL, 100)


@step
def calls_of_its_own():
    client = desk.client
    equal(client.ping(), {})
    equal(client.get_multi_asset_mode(), {"multiAssetsMargin": False})
    true(client.account()["totalWalletBalance"] == desk.balance()["balance"], "one balance")
    equal(client.commission_rate(SYMBOL)["takerCommissionRate"], "0.00050000")
    true(isinstance(client.funding_rate(SYMBOL), list), "rates")
    equal(client.open_interest(SYMBOL)["symbol"], SYMBOL)
    equal(client.new_order_test(SYMBOL, "BUY", "LIMIT", **day.limit(1, -1)), {})


day.trade()


@step
def the_streams_told_it():
    wanted = {"markPriceUpdate", "aggTrade", "depthUpdate"}
    until(lambda: {event["e"] for event in public} == wanted, "every stream told something")
    stream.stop()


run()

"""binance-sdk-derivatives-trading-usds-futures, the official one: a bot's day on a contract by its typed REST and its streams."""

import asyncio
from decimal import Decimal

from binance_common.configuration import (
    ConfigurationRestAPI,
    ConfigurationWebSocketAPI,
    ConfigurationWebSocketStreams,
)
from binance_common.errors import BadRequestError, ClientError
from binance_sdk_derivatives_trading_usds_futures.derivatives_trading_usds_futures import (
    DerivativesTradingUsdsFutures as Client,
)
from common import BASE, KEYS, TIMEOUT_MS, WS, equal, run, step, true, until
from day import Background
from futures_day import FuturesDay

SYMBOL = "BTCUSDT"
NAMES = {
    "timeInForce": "time_in_force",
    "reduceOnly": "reduce_only",
    "positionSide": "position_side",
    "newOrderRespType": "new_order_resp_type",
}
NUMBERS = {"quantity", "price"}


def plain(data):
    """What a model was made of."""
    if isinstance(data, list):
        return [plain(row) for row in data]
    data = getattr(data, "actual_instance", None) or data
    return data.to_dict() if hasattr(data, "to_dict") else data


def named(event):
    """An event with its name, which its model has and does not tell."""
    names = {"o": "ORDER_TRADE_UPDATE", "a": "ACCOUNT_UPDATE", "ac": "ACCOUNT_CONFIG_UPDATE"}
    held = [name for field, name in names.items() if isinstance(event.get(field), dict)]
    return {**event, "e": held[0] if held else "another"}


class Sdk:
    def __init__(self, key, secret):
        self.rest = Client(config_rest_api=ConfigurationRestAPI(key, secret, base_path=BASE, timeout=TIMEOUT_MS)).rest_api

    def rules(self):
        return next(plain(row) for row in self.rest.exchange_information().data().symbols if row.symbol == SYMBOL)

    def premium(self):
        return plain(self.rest.mark_price(SYMBOL).data())

    def best(self):
        row = plain(self.rest.symbol_order_book_ticker(SYMBOL).data())
        return [price if float(price) else None for price in (row["bidPrice"], row["askPrice"])]

    def book(self):
        return plain(self.rest.order_book(SYMBOL).data())

    def candles(self):
        return self.rest.kline_candlestick_data(SYMBOL, "1m").data()

    def balance(self):
        rows = plain(self.rest.futures_account_balance_v3().data())
        return next(row for row in rows if row["asset"] == "USDT")

    def position(self, side="BOTH"):
        rows = plain(self.rest.position_information_v3(SYMBOL).data())
        return next((row for row in rows if row["positionSide"] == side), None)

    def positions(self):
        return plain(self.rest.position_information_v3().data())

    def place(self, side, kind, **fields):
        named = {NAMES.get(name, name): float(v) if name in NUMBERS else v for name, v in fields.items()}
        return plain(self.rest.new_order(SYMBOL, side, kind, **named).data())

    def order(self, orderId):
        return plain(self.rest.query_order(SYMBOL, order_id=orderId).data())

    def open_orders(self):
        return plain(self.rest.current_all_open_orders(SYMBOL).data())

    def all_orders(self):
        return plain(self.rest.all_orders(SYMBOL).data())

    def cancel(self, orderId):
        return plain(self.rest.cancel_order(SYMBOL, order_id=orderId).data())

    def cancel_all(self):
        return plain(self.rest.cancel_all_open_orders(SYMBOL).data())

    def trades(self):
        return plain(self.rest.account_trade_list(SYMBOL).data())

    def income(self, kind):
        return plain(self.rest.get_income_history(income_type=kind).data())

    def leverage(self, multiple):
        equal(self.rest.change_initial_leverage(SYMBOL, multiple).data().leverage, multiple)

    def margin_type(self, word):
        equal(int(self.rest.change_margin_type(SYMBOL, word).data().code), 200)

    def hedge(self, on):
        self.rest.change_position_mode("true" if on else "false")
        equal(self.rest.get_current_position_mode().data().dual_side_position, on)

    def margin(self, amount, kind):
        equal(self.rest.modify_isolated_position_margin(SYMBOL, float(amount), kind).data().type, kind)

    def countdown(self, ms):
        equal(self.rest.auto_cancel_all_open_orders(SYMBOL, ms).data().countdown_time, str(ms))

    def forced(self, kind):
        return plain(self.rest.users_force_orders(SYMBOL, auto_close_type=kind).data())

    def quantile(self):
        return plain(self.rest.position_adl_quantile_estimation(SYMBOL).data())[0]["adlQuantile"]

    def said(self, error):
        if not isinstance(error, (BadRequestError, ClientError)):
            raise error
        return error.status_code


background, day = Background(), FuturesDay(Sdk, SYMBOL)
desk, marks = day.desk, []


async def opened():
    config = ConfigurationWebSocketStreams(stream_url=WS)
    streams = Client(config_ws_streams=config).websocket_streams
    await streams.create_connection()
    user = await streams.user_data(desk.rest.start_user_data_stream().data().listen_key)
    user.on("message", lambda event: day.heard.append(named(plain(event))))
    mark = await streams.mark_price_stream(SYMBOL.lower())
    mark.on("message", lambda event: marks.append(plain(event)))
    return streams


streams = background.do(opened())


@step
def calls_of_its_own():
    equal(desk.rest.user_commission_rate(SYMBOL).data().taker_commission_rate, "0.00050000")
    tiers = plain(desk.rest.notional_and_leverage_brackets(SYMBOL).data())
    true("brackets" in str(tiers), f"brackets: {tiers}")
    equal(desk.rest.account_information_v3().data().total_wallet_balance, desk.balance()["balance"])
    true(desk.rest.open_interest(SYMBOL).data().symbol == SYMBOL, "open interest")


async def by_websocket(price):
    """What the websocket API answers to an order's life and about the account."""
    config = ConfigurationWebSocketAPI(KEYS[0][0], KEYS[0][1], stream_url=f"{WS}/ws-fapi/v1")
    client = Client(config_ws_api=config)
    api = client.websocket_api
    await api.create_connection()
    try:
        placed = (await api.new_order(SYMBOL, "BUY", "LIMIT", time_in_force="GTC", quantity=0.02, price=price)).data().result
        name = {"order_id": placed.order_id}
        changed = await api.modify_order(SYMBOL, "BUY", 0.01, price, **name)
        equal(Decimal(changed.data().result.orig_qty), Decimal("0.01"))
        equal((await api.query_order(SYMBOL, **name)).data().result.status, "NEW")
        equal((await api.cancel_order(SYMBOL, **name)).data().result.status, "CANCELED")
        for call in (api.account_information, api.account_information_v2):
            true(float((await call()).data().result.total_wallet_balance) > 0, call.__name__)
        for call in (api.futures_account_balance, api.futures_account_balance_v2):
            true("USDT" in {row.asset for row in (await call()).data().result}, call.__name__)
        for call in (api.position_information, api.position_information_v2):
            true(isinstance((await call()).data().result, list), call.__name__)
        # The view that is answered from follows the book within moments.
        for _ in range(50):
            book = (await api.order_book(SYMBOL)).data().result
            if book.last_update_id > 0:
                break
            await asyncio.sleep(0.1)
        true(book.last_update_id > 0, "a book")
        for call in (api.symbol_price_ticker, api.symbol_order_book_ticker):
            equal(plain((await call(symbol=SYMBOL)).data())["result"]["symbol"], SYMBOL, call.__name__)
    finally:
        await api.close_connection(close_session=True)


@step
def the_websocket_api_answers():
    background.do(by_websocket(float(day.price(-2))))


day.trade()


@step
def the_streams_told_it():
    # It is told every three seconds, and the day may be shorter.
    until(lambda: marks, "a mark")
    equal(marks[-1]["s"], SYMBOL)
    background.do(streams.close_connection())


run()

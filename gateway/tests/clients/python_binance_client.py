"""python-binance: addresses set on its classes before anything is made of them."""

import asyncio
from decimal import Decimal

from binance.async_client import AsyncClient
from binance.base_client import BaseClient
from binance.client import Client
from binance.exceptions import BinanceAPIException
from binance.ws.depthcache import DepthCacheManager
from binance.ws.streams import BinanceSocketManager
from common import (
    BASE,
    KEY,
    QUANTITY,
    SECRET,
    SYMBOL,
    TRADED,
    WS,
    LocalBook,
    Meetings,
    equal,
    far_below,
    plain,
    run,
    step,
    true,
)

BaseClient.API_URL = BASE + "/api"
BaseClient.WS_API_URL = WS + "/ws-api/v3"
BaseClient.MARGIN_API_URL = BASE + "/sapi"
BinanceSocketManager.STREAM_URL = WS + "/"


@step
def time_and_markets():
    client = Client()
    equal(client.ping(), {})
    true(client.get_server_time()["serverTime"] > 0, "a time")
    true(len(client.get_exchange_info()["symbols"]) > 1, "markets")
    equal(client.get_symbol_info(SYMBOL)["baseAsset"], "BTC")


@step
def every_public_call():
    client = Client()
    depth = client.get_order_book(symbol=SYMBOL, limit=5)
    equal((len(depth["bids"]), len(depth["asks"])), (5, 5))
    true(client.get_recent_trades(symbol=SYMBOL, limit=3)[0]["id"] > 0, "a trade")
    newest = client.get_aggregate_trades(symbol=SYMBOL, limit=3)
    equal(len(newest), 3)
    following = client.aggregate_trade_iter(SYMBOL, last_id=newest[0]["a"])
    equal(next(following)["a"], newest[1]["a"], "aggregates go on behind an id")
    for call in (client.get_klines, client.get_ui_klines):
        equal(len(call(symbol=SYMBOL, interval="1m", limit=2)[0]), 12)
    hours = client.get_historical_klines(SYMBOL, "1h", "1 day ago UTC")
    true(23 <= len(hours) <= 25, f"{len(hours)} candles of a day")
    equal(client.get_avg_price(symbol=SYMBOL)["mins"], 5)
    equal(client.get_ticker(symbol=SYMBOL)["symbol"], SYMBOL)
    equal(client.get_symbol_ticker(symbol=SYMBOL)["symbol"], SYMBOL)
    equal(client.get_symbol_ticker_window(symbol=SYMBOL, windowSize="1h")["symbol"], SYMBOL)
    equal(client.get_orderbook_ticker(symbol=SYMBOL)["symbol"], SYMBOL)
    true(len(client.get_all_tickers()) > 1, "all markets")
    true(len(client.get_orderbook_tickers()) > 1, "all markets")


async def first(socket):
    async with socket as stream:
        return await asyncio.wait_for(stream.recv(), 30)


async def names_of(socket, count):
    told = set()
    async with socket as stream:
        while len(told) < count:
            told.add((await asyncio.wait_for(stream.recv(), 30))["stream"])
    return told


@step
async def every_stream():
    client = await AsyncClient.create()
    try:
        manager = BinanceSocketManager(client)
        wanted = {
            "trade": manager.trade_socket(SYMBOL),
            "aggTrade": manager.aggtrade_socket(SYMBOL),
            "kline": manager.kline_socket(SYMBOL, "1m"),
            "24hrMiniTicker": manager.symbol_miniticker_socket(SYMBOL),
            "24hrTicker": manager.symbol_ticker_socket(SYMBOL),
            "depthUpdate": manager.depth_socket(SYMBOL, interval=100),
        }
        names = ["btcusdt@avgPrice", "!ticker_1h@arr", "btcusdt@kline_1d@+08:00"]
        # All at once: each takes its time to close.
        *frames, levels, best, tickers, told = await asyncio.gather(
            *(first(socket) for socket in wanted.values()),
            first(manager.depth_socket(SYMBOL, depth="5")),
            first(manager.symbol_book_ticker_socket(SYMBOL)),
            first(manager.ticker_socket()),
            names_of(manager.multiplex_socket(names), len(names)),
        )
        equal([frame["e"] for frame in frames], list(wanted))
        equal(len(levels["bids"]), 5)
        true("e" not in best, "best prices have no type")
        true(any(ticker["s"] == SYMBOL for ticker in tickers), "all tickers")
        equal(told, set(names))
    finally:
        await client.close_connection()


@step
async def its_depth_cache_is_the_book_of_rest_while_orders_come_and_go():
    client, meetings = await AsyncClient.create(), Meetings()
    try:

        async def snapshots():
            while not meetings.enough:
                now = LocalBook(await client.get_order_book(symbol=SYMBOL, limit=1000))
                meetings.asked(now.update, now.bids, now.asks)
                await asyncio.sleep(0.02)

        async def diffs():
            async with DepthCacheManager(client, SYMBOL, limit=1000, conv_type=str, ws_interval=100) as cache:
                while not meetings.enough:
                    await cache.recv()
                    book = cache.get_depth_cache()
                    meetings.streamed(cache._last_update_id, plain(book.get_bids()), plain(book.get_asks()))

        await asyncio.gather(snapshots(), diffs())
    finally:
        await client.close_connection()


def refused(code, call):
    """That it raises its error with this code."""
    try:
        call()
    except BinanceAPIException as error:
        equal(error.code, code)
        return
    raise AssertionError(f"no error {code}")


def price_far_below(client):
    return far_below(client.get_symbol_ticker(symbol=TRADED)["price"])


@step
def an_order_is_placed_found_and_cancelled():
    client = Client(KEY, SECRET)
    true(float(client.get_asset_balance("USDT")["free"]) > 0, "money")
    price = price_far_below(client)
    order = {"symbol": TRADED, "side": "BUY", "type": "LIMIT", "timeInForce": "GTC"}
    equal(client.create_test_order(**order, quantity=QUANTITY, price=price), {})
    placed = client.order_limit_buy(symbol=TRADED, quantity=QUANTITY, price=price)
    equal(placed["status"], "NEW")
    equal([row["orderId"] for row in client.get_open_orders(symbol=TRADED)], [placed["orderId"]])
    found = client.get_order(symbol=TRADED, origClientOrderId=placed["clientOrderId"])
    equal((found["orderId"], float(found["price"])), (placed["orderId"], float(price)))
    equal(client.cancel_order(symbol=TRADED, orderId=placed["orderId"])["status"], "CANCELED")
    refused(-2011, lambda: client.cancel_order(symbol=TRADED, orderId=placed["orderId"]))
    refused(-2010, lambda: client.order_limit_buy(symbol=TRADED, quantity="50", price=price))


@step
def a_filled_order_is_in_every_history():
    client = Client(KEY, SECRET)
    filled = client.order_market_buy(symbol=TRADED, quantity=QUANTITY)
    equal((filled["status"], float(filled["executedQty"])), ("FILLED", float(QUANTITY)))
    true(filled["orderId"] in [row["orderId"] for row in client.get_all_orders(symbol=TRADED)], "among all orders")
    trades = {row["id"] for row in client.get_my_trades(symbol=TRADED)}
    true({fill["tradeId"] for fill in filled["fills"]} <= trades, "among own trades")
    equal(client.get_trade_fee(symbol=TRADED)[0]["symbol"], TRADED)


@step
def of_two_orders_one_is_cancelled_with_the_other():
    client = Client(KEY, SECRET)
    last = float(client.get_symbol_ticker(symbol=TRADED)["price"])
    above, below = f"{last * 1.05:.2f}", f"{last * 0.95:.2f}"
    # A part of what was bought went into the fee.
    half = str(Decimal(QUANTITY) / 2)
    both = {"aboveType": "LIMIT_MAKER", "abovePrice": above, "belowType": "STOP_LOSS", "belowStopPrice": below}
    pair = client.create_oco_order(symbol=TRADED, side="SELL", quantity=half, **both)
    equal((pair["contingencyType"], len(pair["orders"])), ("OCO", 2))
    client.cancel_order(symbol=TRADED, orderId=pair["orders"][0]["orderId"])
    equal(client.get_open_orders(symbol=TRADED), [])


@step
async def own_orders_and_balances_stream():
    client = await AsyncClient.create(KEY, SECRET)
    try:
        async with BinanceSocketManager(client).user_socket() as stream:
            last = (await client.get_symbol_ticker(symbol=TRADED))["price"]
            placed = await client.order_limit_buy(symbol=TRADED, quantity=QUANTITY, price=far_below(last))
            await client.cancel_order(symbol=TRADED, orderId=placed["orderId"])
            told, balances = [], 0
            while told[-1:] != ["CANCELED"] or not balances:
                event = await asyncio.wait_for(stream.recv(), 30)
                event = event.get("event", event)
                if event["e"] == "executionReport" and event["i"] == placed["orderId"]:
                    told.append(event["x"])
                balances += event["e"] == "outboundAccountPosition"
            equal(told, ["NEW", "CANCELED"])
    finally:
        await client.close_connection()


run()

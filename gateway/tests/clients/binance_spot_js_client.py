"""@binance/spot of JavaScript: market data by its typed REST and websocket API, and streams at /stream."""

from binance_spot_js_desk import Client, program
from common import SYMBOL, equal, run, step, true

client = Client(program())


@step
def every_public_call():
    equal(client.rest("ping"), {})
    true(client.rest("time")["serverTime"] > 0, "a time")
    equal(client.rest("exchangeInfo", symbol=SYMBOL)["symbols"][0]["symbol"], SYMBOL)
    book = client.rest("depth", symbol=SYMBOL, limit=5)
    equal((len(book["bids"]), len(book["asks"])), (5, 5))
    for method in ("getTrades", "aggTrades"):
        equal(len(client.rest(method, symbol=SYMBOL, limit=3)), 3, method)
    newest = client.rest("getTrades", symbol=SYMBOL, limit=1)[0]["id"]
    true(client.rest("historicalTrades", symbol=SYMBOL, fromId=newest)[0]["id"] >= newest, "from an id on")
    equal(len(client.rest("klines", symbol=SYMBOL, interval="1h", limit=3)), 3)
    for method in ("avgPrice", "ticker24hr", "tickerTradingDay", "tickerPrice", "tickerBookTicker", "ticker"):
        true(client.rest(method, symbol=SYMBOL), method)
    equal(client.rest("executionRules", symbol=SYMBOL)["symbolRules"][0]["symbol"], SYMBOL)
    equal(client.rest("referencePrice", symbol=SYMBOL)["symbol"], SYMBOL)


@step
def market_data_by_the_websocket_api():
    equal(client.socket("ping"), {})
    true(client.socket("time")["serverTime"] > 0, "a time")
    equal(len(client.socket("depth", symbol=SYMBOL, limit=5)["bids"]), 5)
    equal(len(client.socket("tradesRecent", symbol=SYMBOL, limit=3)), 3)
    equal(len(client.socket("klines", symbol=SYMBOL, interval="1m", limit=2)), 2)


@step
def every_stream():
    name = SYMBOL.lower()
    for method, event, fields in [
        ("trade", "trade", {}),
        ("aggTrade", "aggTrade", {}),
        ("kline", "kline", {"interval": "1m"}),
        ("miniTicker", "24hrMiniTicker", {}),
        ("ticker", "24hrTicker", {}),
        ("diffBookDepth", "depthUpdate", {}),
        ("avgPrice", "avgPrice", {}),
    ]:
        told = client.first(method, symbol=name, **fields)
        equal((told["e"], told["s"]), (event, SYMBOL))
    equal(client.first("bookTicker", symbol=name)["s"], SYMBOL)
    equal(len(client.first("partialBookDepth", symbol=name, levels="5")["asks"]), 5)


@step
def its_connections_end():
    client.close()


run()

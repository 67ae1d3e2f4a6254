import time

from binance.spot import Spot
from binance.websocket.spot.websocket_stream import SpotWebsocketStreamClient

client = Spot('YOUR_API_KEY', 'YOUR_SECRET', base_url='https://exchange.example')
print(client.ticker_price('BTCUSDT'))
print(client.account(omitZeroBalances='true')['balances'])

streams = SpotWebsocketStreamClient(
    stream_url='wss://exchange.example',
    on_message=lambda _, message: print(message),
)
streams.agg_trade(symbol='BTCUSDT')
time.sleep(5)
streams.stop()

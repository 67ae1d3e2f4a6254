from binance.base_client import BaseClient
from binance.client import Client

BaseClient.API_URL = 'https://exchange.example/api'
client = Client('YOUR_API_KEY', 'YOUR_SECRET')
print(client.get_symbol_ticker(symbol='BTCUSDT'))
print(client.get_historical_klines('BTCUSDT', Client.KLINE_INTERVAL_1HOUR, '3 hours ago UTC'))
print(client.get_asset_balance('USDT'))

import ccxt

url = 'https://exchange.example'
exchange = ccxt.binance({
    'apiKey': 'YOUR_API_KEY',
    'secret': 'YOUR_SECRET',
    'urls': {'api': {'public': url + '/api/v3', 'private': url + '/api/v3', 'sapi': url + '/sapi/v1'}},
    'options': {'fetchMarkets': {'types': ['spot']}, 'fetchCurrencies': False, 'fetchMargins': False},
})
print(exchange.fetch_ticker('BTC/USDT')['last'])
print(exchange.fetch_order_book('BTC/USDT', 5)['bids'])
print(exchange.fetch_balance()['USDT'])

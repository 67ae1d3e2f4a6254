curl --fail 'https://exchange.example/api/v3/ticker/price?symbol=BTCUSDT'
curl --fail 'https://exchange.example/api/v3/klines?symbol=BTCUSDT&interval=1h&limit=3'

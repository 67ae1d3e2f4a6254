curl --fail 'https://exchange.example/api/v3/ticker/price?symbol=BTCUSDT'
curl --fail 'https://exchange.example/api/v3/klines?symbol=BTCUSDT&interval=1h&limit=3'

query="timestamp=$(date +%s000)"
signature=$(printf %s "$query" | openssl dgst -sha256 -hmac 'YOUR_SECRET' | sed 's/^.* //')
curl --fail -H 'X-MBX-APIKEY: YOUR_API_KEY' "https://exchange.example/api/v3/account?$query&signature=$signature"

import ccxt from 'ccxt';

const url = 'https://exchange.example';
const exchange = new ccxt.pro.binance({
  apiKey: 'YOUR_API_KEY',
  secret: 'YOUR_SECRET',
  urls: {
    api: {
      public: `${url}/api/v3`,
      private: `${url}/api/v3`,
      sapi: `${url}/sapi/v1`,
      ws: { spot: 'wss://exchange.example/ws' },
    },
  },
  options: { fetchMarkets: { types: ['spot'] }, fetchCurrencies: false, fetchMargins: false },
});
// Only where sockets have no TLS.
await exchange.loadHttpProxyAgent();
const ticker = await exchange.fetchTicker('BTC/USDT');
const book = await exchange.watchOrderBook('BTC/USDT');
const balance = await exchange.fetchBalance();
console.log(ticker.last, book.bids[0], book.asks[0], balance.USDT);
await exchange.close();

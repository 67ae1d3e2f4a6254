import { Spot } from '@binance/spot';

const apiKey = 'YOUR_API_KEY';
const apiSecret = 'YOUR_SECRET';
const client = new Spot({
  configurationRestAPI: { apiKey, apiSecret, basePath: 'https://exchange.example' },
  configurationWebsocketStreams: { wsURL: 'wss://exchange.example' },
});
const account = await (await client.restAPI.getAccount()).data();
const streams = await client.websocketStreams.connect();
const ticker = await new Promise((resolve) => streams.ticker({ symbol: 'btcusdt' }).on('message', resolve));
console.log(ticker.c, account.balances[0]);
await streams.disconnect();

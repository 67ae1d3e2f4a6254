/** Programs that work as they stand, with the exchange's own address in them. Each is run against the real binary by the tests of clients. */
import connector from './samples/binance_connector.py?raw';
import binanceSpot from './samples/binance_spot.mjs?raw';
import ccxtJs from './samples/ccxt.mjs?raw';
import ccxtPython from './samples/ccxt.py?raw';
import curl from './samples/curl.sh?raw';
import pythonBinance from './samples/python_binance.py?raw';
import websocket from './samples/websocket.mjs?raw';

const HTTP = 'https://exchange.example';
const SOCKET = 'wss://exchange.example';

/** Where this exchange answers: its pages, calls and sockets have one origin. */
export const addressesOf = (origin: string) => ({ http: origin, socket: origin.replace(/^http/, 'ws') });

const SAMPLES = {
  'ccxt (Python)': ccxtPython,
  'ccxt (JavaScript)': ccxtJs,
  'python-binance': pythonBinance,
  'binance-connector': connector,
  '@binance/spot': binanceSpot,
  curl,
} as const;

/** Names, which are the same in every language, and texts; the raw websocket's comes apart, because its name is not. */
export function samplesFor(origin: string): { named: [string, string][]; websocket: string } {
  const { http, socket } = addressesOf(origin);
  const here = (text: string) => text.trim().replaceAll(HTTP, http).replaceAll(SOCKET, socket);
  return {
    named: Object.entries(SAMPLES).map(([name, text]) => [name, here(text)]),
    websocket: here(websocket),
  };
}

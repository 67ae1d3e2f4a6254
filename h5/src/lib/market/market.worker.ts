/** The market worker: gives the engine a real clock, socket, fetch and post. Everything that can be wrong is elsewhere. */
import { MarketEngine } from './engine';
import type { FromWorker, ToWorker } from './messages';

interface WorkerScope {
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
  postMessage(message: FromWorker): void;
}

const scope = self as unknown as WorkerScope;
const FETCH_TIMEOUT_MS = 10_000;

let realtimeUrl = '';
let apiBase = '';

const engine = new MarketEngine({
  timers: {
    now: () => Date.now(),
    after(delayMs, callback) {
      const handle = setTimeout(callback, delayMs);
      return () => clearTimeout(handle);
    },
  },
  random: Math.random,
  openSocket(handlers) {
    let socket: WebSocket;
    try {
      socket = new WebSocket(realtimeUrl);
    } catch {
      // A policy that forbids the socket is a server that cannot be reached: the engine polls.
      setTimeout(handlers.close, 0);
      return { send: () => {}, close: () => {} };
    }
    socket.onopen = handlers.open;
    socket.onmessage = (event: MessageEvent<unknown>) => {
      if (typeof event.data === 'string') handlers.message(event.data);
    };
    socket.onclose = handlers.close;
    return {
      send: (text) => socket.send(text),
      close: () => socket.close(),
    };
  },
  async fetchJson(path) {
    const response = await fetch(`${apiBase}${path}`, { signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) });
    if (!response.ok) throw new Error(`${path} answered ${response.status}`);
    return response.json();
  },
  post: (message) => scope.postMessage(message),
});

scope.onmessage = ({ data }) => {
  if (data.type === 'start') {
    realtimeUrl = data.realtimeUrl;
    apiBase = data.apiBase;
  }
  engine.receive(data);
};

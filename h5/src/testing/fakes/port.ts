/** The market worker of component tests: the real engine in the page's own thread, its socket a call to the fake server. */
import { MarketEngine } from '@/lib/market/engine';
import type { FromWorker, ToWorker } from '@/lib/market/messages';
import type { FakeRealtime } from './realtime';

/** Gives the page a `Worker` that is served by `server()`; what it tells comes in later tasks, as from a real one. */
export function installMarket(server: () => FakeRealtime): void {
  class MarketWorker {
    onmessage: ((event: { data: FromWorker }) => void) | null = null;
    readonly #engine = new MarketEngine({
      timers: {
        now: () => Date.now(),
        after(delayMs, callback) {
          const handle = setTimeout(callback, delayMs);
          return () => clearTimeout(handle);
        },
      },
      random: Math.random,
      openSocket(handlers) {
        const later = (action: () => void) => setTimeout(action, 0);
        const session = server().connect((text) => later(() => handlers.message(text)));
        later(handlers.open);
        return { send: (text) => session.receive(text), close: () => session.close() };
      },
      fetchJson: () => Promise.reject(new Error('the socket is there')),
      post: (message) => this.onmessage?.({ data: message }),
    });

    postMessage(message: ToWorker): void {
      this.#engine.receive(message);
    }
  }
  Object.assign(globalThis, { Worker: MarketWorker });
}

/**
 * The private events of contracts' books: orders and positions that changed, and what happened to positions without an
 * order of their owner. Rule: docs/rules/realtime.md "Private events".
 */
import { decimal, integer, isObject } from '../decode';
import type { EventKinds } from '../productEvents';

/** Where it happened; of a whole pool no symbol. */
interface Place {
  /** As pages name it: BTC/USDT. */
  symbol: string | undefined;
  coin: string;
}

export type Liquidation = Place &
  (
    | { phase: 'started'; equity: string; maintenance: string }
    | { phase: 'ended'; equity: string; maintenance: string; steps: number }
    | { phase: 'step'; amount: string; bankruptcy: string; result: string; fee: string }
  );

declare module '../types' {
  interface ProductEvents {
    contract_order: { id: number };
    contract_positions: { contracts: number };
    contract_funding: { funding: Place & { amount: string } };
    contract_liquidation: { liquidation: Liquidation };
    contract_deleveraged: { deleveraged: Place & { amount: string; price: string; result: string } };
  }
}

type Names =
  | 'contract_order'
  | 'contract_positions'
  | 'contract_funding'
  | 'contract_liquidation'
  | 'contract_deleveraged';

function placeOf(data: unknown): (Place & { data: Record<string, unknown> }) | undefined {
  if (!isObject(data) || typeof data.coin !== 'string') return undefined;
  const { symbol, coin } = data;
  return { symbol: typeof symbol === 'string' ? pairName(symbol, coin) : undefined, coin, data };
}

/** Streams leave out what parts the names of a pair; what a contract is settled in is its second one. */
function pairName(symbol: string, coin: string): string {
  return symbol.endsWith(coin) ? `${symbol.slice(0, -coin.length)}/${coin}` : symbol;
}

/** The named decimals as texts; undefined when one is none. */
function figures<N extends string>(data: Record<string, unknown>, ...names: N[]): Record<N, string> | undefined {
  if (!names.every((name) => decimal(data[name]) !== undefined)) return undefined;
  return Object.fromEntries(names.map((name) => [name, String(data[name])])) as Record<N, string>;
}

function liquidation(told: unknown): Liquidation | undefined {
  const place = placeOf(told);
  if (!place) return undefined;
  const { data, symbol, coin } = place;
  if (data.phase === 'step') {
    const found = figures(data, 'amount', 'bankruptcy_price', 'result', 'fee');
    if (!found) return undefined;
    const { bankruptcy_price: bankruptcy, ...rest } = found;
    return { phase: 'step', symbol, coin, bankruptcy, ...rest };
  }
  const worth = figures(data, 'equity', 'maintenance');
  if (!worth) return undefined;
  if (data.phase === 'started') return { phase: 'started', symbol, coin, ...worth };
  const steps = integer(data.steps);
  return data.phase === 'ended' && steps !== undefined ? { phase: 'ended', symbol, coin, steps, ...worth } : undefined;
}

export const events: EventKinds<Names> = {
  contract_order: {
    read(data) {
      const id = isObject(data) ? integer(data.id) : undefined;
      return id === undefined ? undefined : { id };
    },
  },
  contract_positions: {
    read(data) {
      return isObject(data) && Array.isArray(data.match_id) ? { contracts: data.match_id.length } : undefined;
    },
  },
  contract_funding: {
    read(data) {
      const place = placeOf(data);
      const found = place && figures(place.data, 'amount');
      return place && found && { funding: { symbol: place.symbol, coin: place.coin, ...found } };
    },
  },
  contract_liquidation: {
    read(data) {
      const found = liquidation(data);
      return found && { liquidation: found };
    },
  },
  contract_deleveraged: {
    read(data) {
      const place = placeOf(data);
      const found = place && figures(place.data, 'amount', 'price', 'result');
      return place && found && { deleveraged: { symbol: place.symbol, coin: place.coin, ...found } };
    },
  },
};

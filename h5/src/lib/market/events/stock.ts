/** The private event of stocks: what an action of a company made of a holding. Rule: docs/rules/realtime.md "Private events". */
import type { Dec } from '../../api/shape';
import { decimal, isObject, oneOf } from '../decode';
import type { EventKinds } from '../productEvents';

export interface StockAction {
  symbol: string;
  kind: 'split' | 'dividend';
  /** Shares before and after. */
  before: Dec;
  after: Dec;
  /** What was credited: a dividend after what was withheld, or the price of an odd lot. */
  cash: Dec;
  withheld: Dec;
  asset: string;
}

declare module '../types' {
  interface ProductEvents {
    stock_action: { action: StockAction };
  }
}

const KINDS: readonly StockAction['kind'][] = ['split', 'dividend'];
const isFigure = (value: unknown): value is Dec => typeof value === 'string' && decimal(value) !== undefined;

export const events: EventKinds<'stock_action'> = {
  stock_action: {
    read(data) {
      if (!isObject(data)) return undefined;
      const { symbol, before, after, cash, withheld, asset } = data;
      if (typeof symbol !== 'string' || typeof asset !== 'string') return undefined;
      if (!isFigure(before) || !isFigure(after) || !isFigure(cash) || !isFigure(withheld)) return undefined;
      return { action: { symbol, kind: oneOf(data.kind, KINDS, 'kind'), before, after, cash, withheld, asset } };
    },
  },
};

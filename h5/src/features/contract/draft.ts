/**
 * Owns: what is typed into the ticket of a contract, as texts, and how one entry changes another. Never does: judge.
 * Invariants: a price and a number of lots stay as they were typed until they are typed anew.
 */
import { Decimal, fixed } from '@/lib/decimal';
import { viewAtom } from '@/lib/state';
import { typed } from '@/trading';
import type { Direction, MarginMode } from './numbers';
import type { ContractRules, PriceSteps } from './rules';

export interface Draft {
  direction: Direction;
  kind: 'market' | 'limit';
  price: string;
  lots: string;
  /** Share of the most lots that `lots` was set to. */
  percent: number | undefined;
  withStops: boolean;
  takeProfit: string;
  stopLoss: string;
}

/** Where what is open is closed by itself; '' is nowhere. */
export type Stops = Pick<Draft, 'takeProfit' | 'stopLoss'>;

export const EMPTY_DRAFT: Draft = {
  direction: 'long',
  kind: 'market',
  price: '',
  lots: '',
  percent: undefined,
  withStops: false,
  takeProfit: '',
  stopLoss: '',
};

/** How positions are opened: it stays so from contract to contract. */
export interface Setup {
  mode: MarginMode;
  multiple: number;
}

export const setupAtom = viewAtom<Setup>({ mode: 'cross', multiple: 20 });

export type PriceField = 'price' | 'takeProfit' | 'stopLoss';

export type DraftAction =
  | { type: 'direction'; direction: Direction }
  | { type: 'kind'; kind: Draft['kind'] }
  | { type: PriceField; text: string }
  | { type: 'stepPrice'; field: PriceField; way: 1 | -1; from: Decimal | undefined; rules: PriceSteps }
  | { type: 'lots'; text: string }
  | { type: 'stepLots'; way: 1 | -1; rules: ContractRules }
  | { type: 'share'; percent: number; most: number }
  | { type: 'withStops'; on: boolean }
  | { type: 'sent' };

export function draftReducer(draft: Draft, action: DraftAction): Draft {
  switch (action.type) {
    case 'direction':
      // Stops lie on the other sides of the price now.
      return { ...draft, direction: action.direction, price: '', takeProfit: '', stopLoss: '' };
    case 'kind':
      return { ...draft, kind: action.kind };
    case 'price':
    case 'takeProfit':
    case 'stopLoss':
      return { ...draft, [action.type]: action.text };
    case 'stepPrice':
      return { ...draft, [action.field]: stepped(draft[action.field], action) };
    case 'lots':
      return { ...draft, lots: action.text, percent: undefined };
    case 'stepLots': {
      const { minLots, maxLots } = action.rules;
      const lots = Math.floor(Number(draft.lots) || 0) + action.way;
      return { ...draft, lots: String(Math.min(Math.max(lots, minLots), maxLots)), percent: undefined };
    }
    case 'share': {
      const lots = Math.floor((action.most * action.percent) / 100);
      return { ...draft, lots: lots > 0 ? String(lots) : '', percent: action.percent };
    }
    case 'withStops':
      return { ...draft, withStops: action.on, takeProfit: '', stopLoss: '' };
    case 'sent':
      return { ...draft, lots: '', percent: undefined, takeProfit: '', stopLoss: '' };
  }
}

type Step = Extract<DraftAction, { type: 'stepPrice' }>;

/** One tick of what is typed; an empty field begins at `from`. */
function stepped(text: string, { way, from, rules }: Step): string {
  const typedIn = typed(text);
  if (typedIn === undefined) return from ? fixed(from, rules.priceDecimals) : '';
  return fixed(Decimal.max(typedIn.plus(rules.tick.times(way)), rules.tick), rules.priceDecimals);
}

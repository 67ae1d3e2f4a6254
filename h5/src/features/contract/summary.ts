/** What the ticket of a contract comes to, before it is sent. Pure: computed anew with every index. */
import { Decimal } from '@/lib/decimal';
import { typed } from '@/trading';
import type { Draft, Setup } from './draft';
import {
  type Ends,
  type Held,
  isolatedEnds,
  multipleCap,
  netOf,
  type Opening,
  opening,
  type Pool,
  poolEnds,
  poolOf,
  result,
  roe,
  spendable,
  stands,
  valueCap,
  withOpening,
} from './numbers';
import type { ContractRules } from './rules';

export interface SummaryInput {
  draft: Draft;
  setup: Setup;
  rules: ContractRules;
  /** undefined before the first index. */
  index: Decimal | undefined;
  /** All open positions of the account that are paid in the contract's settle asset. */
  held: readonly Held[];
  /** Value of own tickets of this contract, those that wait too, at their prices. */
  ownValue: Decimal;
  available: Decimal;
}

export interface StopOutcome {
  price: Decimal;
  profit: Decimal;
  roe: Decimal;
}

export interface Summary {
  /** The index, or the limit. */
  reference: Decimal | undefined;
  lots: number | undefined;
  opening: Opening | undefined;
  ends: Ends;
  /** Largest multiple for this value; undefined above all brackets or without a value. */
  cap: number | undefined;
  /** What may be locked for this position. */
  spendable: Decimal;
  /** Its cost is there, and what is left stands. */
  affordable: boolean;
  /** Most lots that can be opened so. */
  most: number;
  after: Decimal | undefined;
  /** What may be lost at most: the margin, or the whole of what backs cross positions. */
  worst: Decimal | undefined;
  takeProfit: StopOutcome | undefined;
  stopLoss: StopOutcome | undefined;
}

const NO_ENDS: Ends = { liquidation: undefined, bankruptcy: undefined };

/** Lots as a whole number; undefined while they are none. */
export const wholeLots = (text: string): number | undefined => (/^[1-9]\d{0,9}$/.test(text) ? Number(text) : undefined);

/** A cross position at the index is paid from the pool as a whole; any other only from what may leave it. */
const fromPool = (draft: Draft, setup: Setup): boolean => setup.mode === 'cross' && draft.kind === 'market';

export function summarize(input: SummaryInput): Summary {
  const { draft, setup, rules, index, held, available } = input;
  const pool = poolOf(available, held);
  const reference = draft.kind === 'limit' ? typed(draft.price) : index;
  const lots = wholeLots(draft.lots);
  const usable = reference?.gt(0) && index ? { reference, index } : undefined;
  const opened =
    usable && lots !== undefined ? opening(draft.direction, usable.reference, lots, setup.multiple, rules) : undefined;
  const money = fromPool(draft, setup) ? Decimal.max(available, 0) : spendable(pool);
  return {
    reference,
    lots,
    opening: opened,
    ends: opened && usable ? endsOf(input, pool, opened, usable.index) : NO_ENDS,
    cap: opened && multipleCap(opened.value, rules),
    spendable: money,
    affordable: opened !== undefined && index !== undefined && pays(input, pool, opened, index),
    most: usable ? mostLots(input, pool, usable) : 0,
    after: opened && available.minus(opened.cost),
    worst: opened && (setup.mode === 'isolated' ? opened.margin : available.minus(opened.fee).plus(pool.margins)),
    takeProfit: opened && outcome(draft, 'takeProfit', opened),
    stopLoss: opened && outcome(draft, 'stopLoss', opened),
  };
}

function pays({ draft, setup }: SummaryInput, pool: Pool, opened: Opening, index: Decimal): boolean {
  if (pool.cash.lt(opened.cost)) return false;
  if (!fromPool(draft, setup)) return spendable(pool).gte(opened.cost);
  return stands(withOpening(pool, draft.direction, index, opened));
}

/** As if it were open now: equity moves with the index in a straight line, so it does not matter where it is opened. */
function endsOf({ draft, setup, rules, held }: SummaryInput, pool: Pool, opened: Opening, index: Decimal): Ends {
  if (setup.mode === 'isolated') {
    const { price, number, margin } = opened;
    return isolatedEnds({ direction: draft.direction, price, number, margin, origin: margin }, rules.tick);
  }
  const net = netOf(held, rules.symbol);
  const after = draft.direction === 'long' ? net.plus(opened.number) : net.minus(opened.number);
  return poolEnds(withOpening(pool, draft.direction, index, opened), after, index, rules.tick);
}

/** By halving: each further lot costs more, so what cannot be paid once never can. */
function mostLots(
  input: SummaryInput,
  pool: Pool,
  { reference, index }: { reference: Decimal; index: Decimal },
): number {
  const { draft, setup, rules, ownValue } = input;
  const largest = Decimal.min(valueCap(setup.multiple, rules), Decimal.max(rules.cap.minus(ownValue), 0));
  const fits = (lots: number): boolean => {
    const opened = opening(draft.direction, reference, lots, setup.multiple, rules);
    return opened.value.lte(largest) && pays(input, pool, opened, index);
  };
  let [low, high] = [0, rules.maxLots];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low < rules.minLots ? 0 : low;
}

function outcome(draft: Draft, field: 'takeProfit' | 'stopLoss', opened: Opening): StopOutcome | undefined {
  const price = draft.withStops ? typed(draft[field]) : undefined;
  if (!price?.gt(0)) return undefined;
  const profit = result(draft.direction, opened.price, price, opened.number);
  return { price, profit, roe: roe(profit, opened.margin) };
}

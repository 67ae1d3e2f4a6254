/** Price steps that depend on the price, by law of an exchange (docs/rules/stocks.md "Markets"). Pure. */
import { Decimal } from '@/lib/decimal';
import type { PairRules } from './rules';

/** Up to and with this price the step is this: a price on a boundary is in the lower band. */
export type Band = readonly [upTo: Decimal, step: Decimal];

const table = (...bands: readonly (readonly [string, string])[]): readonly Band[] =>
  bands.map(([upTo, step]) => [new Decimal(upTo), new Decimal(step)]);

const FROM_TWENTY = [
  ['20', '0.01'],
  ['50', '0.02'],
  ['100', '0.05'],
  ['200', '0.1'],
  ['500', '0.2'],
  ['1000', '0.5'],
  ['2000', '1'],
  ['5000', '2'],
  ['9995', '5'],
] as const;

/** By the names that a pair's row gives. */
export const STEP_TABLES: Readonly<Record<string, readonly Band[]>> = {
  'hk-2025-08': table(['0.25', '0.001'], ['0.5', '0.005'], ...FROM_TWENTY),
  'hk-2026': table(['0.25', '0.001'], ['10', '0.005'], ...FROM_TWENTY),
};

type Steps = Pick<PairRules, 'tick' | 'bands'>;

/** The step at a price; undefined above the last band, where there is none. */
export function stepAt({ tick, bands }: Steps, price: Decimal): Decimal | undefined {
  return bands ? bands.find(([upTo]) => price.lte(upTo))?.[1] : tick;
}

/** The highest price that has a step; undefined where every price has. */
export const topPrice = ({ bands }: Pick<Steps, 'bands'>): Decimal | undefined => bands?.at(-1)?.[0];

/** The highest valid price that is not above this one. */
export function floorPrice(steps: Steps, price: Decimal): Decimal {
  const step = stepAt(steps, price);
  return step ? price.div(step).floor().times(step) : (topPrice(steps) ?? price);
}

/** The next valid price in that direction; never below zero, and none above the last band. */
export function nextPrice(steps: Steps, price: Decimal, direction: 1 | -1): Decimal {
  const top = topPrice(steps);
  if (direction === 1) {
    const from = floorPrice(steps, price);
    if (top && from.gte(top)) return top;
    // From a boundary it goes on by the step of the band above it.
    const index = steps.bands?.findIndex(([upTo]) => from.lt(upTo)) ?? 0;
    return from.plus(steps.bands?.[index]?.[1] ?? steps.tick);
  }
  const step = stepAt(steps, price);
  if (!step) return top ?? price;
  return Decimal.max(price.div(step).ceil().minus(1).times(step), 0);
}

/** How far from the last price the orders of a book are grouped. */
const AROUND = new Decimal('0.1');

/** A unit of which all valid prices around this one are multiples: what the book may be grouped to. */
export function bookUnit({ tick, bands }: Steps, price: number): number {
  if (!bands || !(price > 0)) return tick.toNumber();
  const [low, high] = [AROUND.neg().plus(1).times(price), AROUND.plus(1).times(price)];
  const near = bands.filter(([upTo], index) => upTo.gte(low) && (bands[index - 1]?.[0].lt(high) ?? true));
  const unit = near.reduce<Decimal | undefined>((found, [, step]) => (found ? common(found, step) : step), undefined);
  return (unit ?? tick).toNumber();
}

/** The largest number of which both are multiples. */
function common(a: Decimal, b: Decimal): Decimal {
  return b.isZero() ? a : common(b, a.mod(b));
}

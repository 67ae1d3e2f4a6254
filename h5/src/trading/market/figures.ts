/** The book's groupings: units of price that levels are merged to. */
import { roundText, trimZeros } from '@/lib/decimalText';

/** Decimal places that a grouping or tick shows: 0.1 -> 1, 10 -> 0. */
export function placesOf(unit: number): number {
  return trimZeros(roundText(unit, 10)).split('.')[1]?.length ?? 0;
}

/** Groupings on offer: powers of ten times the tick, up to about half a percent of the price. */
export function groupings(tick: number, price: number): number[] {
  const found = [tick];
  for (let factor = 10; factor <= 1_000_000; factor *= 10) {
    const grouping = Number((tick * factor).toPrecision(12));
    if (grouping > price * 0.005) break;
    found.push(grouping);
  }
  return found;
}

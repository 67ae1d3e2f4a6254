/**
 * Which own prices the price axis takes into view beside the candles, and where it then begins and ends. Pure.
 * Invariants: the candles keep a third of the height; of prices that do not all fit the nearest ones are seen.
 */

export interface PriceRange {
  minValue: number;
  maxValue: number;
}

/** Of the last price: what lies farther away is nothing that could happen soon. */
const NEAR = 0.05;
/** How many times as high as the candles alone the view may become. */
const MOST_STRETCH = 3;

/** The range of the candles, stretched to the prices that are near. */
export function withLines(candles: PriceRange, prices: readonly number[], last: number): PriceRange {
  const beyond = (price: number) => Math.max(candles.minValue - price, price - candles.maxValue);
  const most = (candles.maxValue - candles.minValue) * MOST_STRETCH;
  const range = { ...candles };
  const near = prices.filter((price) => beyond(price) > 0 && Math.abs(price - last) <= last * NEAR);
  for (const price of near.sort((a, b) => beyond(a) - beyond(b))) {
    const [minValue, maxValue] = [Math.min(range.minValue, price), Math.max(range.maxValue, price)];
    if (maxValue - minValue <= most) Object.assign(range, { minValue, maxValue });
  }
  return range;
}

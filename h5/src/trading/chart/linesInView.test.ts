import { expect, test } from 'vitest';
import { withLines } from './linesInView';

const candles = { minValue: 99, maxValue: 101 };
const view = (prices: readonly number[], range = candles) => {
  const { minValue, maxValue } = withLines(range, prices, 100);
  return [minValue, maxValue];
};

test('the view is that of the candles while all prices lie in it', () => {
  expect(view([])).toEqual([99, 101]);
  expect(view([99, 100.5])).toEqual([99, 101]);
});

test('prices near the candles are taken in, on both sides', () => {
  expect(view([98])).toEqual([98, 101]);
  expect(view([103])).toEqual([99, 103]);
  expect(view([98, 103])).toEqual([98, 103]);
});

test('the candles keep a third of the height, and the nearest prices are seen', () => {
  expect(view([95])).toEqual([95, 101]);
  expect(view([97, 104])).toEqual([97, 101]);
  expect(view([104, 96, 98])).toEqual([98, 104]);
});

test('a price more than 5 % away is left out, however high the candles are', () => {
  const high = { minValue: 96, maxValue: 104 };
  expect(view([94], high)).toEqual([96, 104]);
  expect(view([95], high)).toEqual([95, 104]);
});

test('candles of one price have no height that could be stretched', () => {
  expect(view([101], { minValue: 100, maxValue: 100 })).toEqual([100, 100]);
});

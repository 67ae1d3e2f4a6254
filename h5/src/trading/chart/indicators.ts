/** Indicators over closing prices: pure, one value a candle, undefined while there are too few candles. */

export type Line = (number | undefined)[];

export function sma(values: readonly number[], length: number): Line {
  let sum = 0;
  return values.map((value, index) => {
    sum += value;
    if (index >= length) sum -= values[index - length] as number;
    return index >= length - 1 ? sum / length : undefined;
  });
}

/** Seeded with the simple average of the first `length` values. */
export function ema(values: readonly number[], length: number): Line {
  const weight = 2 / (length + 1);
  let sum = 0;
  let last: number | undefined;
  return values.map((value, index) => {
    if (index < length - 1) {
      sum += value;
      return undefined;
    }
    last = last === undefined ? (sum + value) / length : last + (value - last) * weight;
    return last;
  });
}

export interface Bands {
  upper: Line;
  middle: Line;
  lower: Line;
}

/** Bollinger bands: the average and `width` population standard deviations around it. */
export function boll(values: readonly number[], length = 20, width = 2): Bands {
  const middle = sma(values, length);
  const spread = middle.map((mean, index) => {
    if (mean === undefined) return undefined;
    const window = values.slice(index - length + 1, index + 1);
    const variance = window.reduce((sum, value) => sum + (value - mean) ** 2, 0) / length;
    return Math.sqrt(variance) * width;
  });
  const shifted = (sign: 1 | -1): Line =>
    middle.map((mean, index) => (mean === undefined ? undefined : mean + sign * (spread[index] as number)));
  return { upper: shifted(1), middle, lower: shifted(-1) };
}

export interface Macd {
  dif: Line;
  dea: Line;
  histogram: Line;
}

export function macd(values: readonly number[], fast = 12, slow = 26, signal = 9): Macd {
  const quick = ema(values, fast);
  const calm = ema(values, slow);
  const dif = quick.map((value, index) => {
    const other = calm[index];
    return value === undefined || other === undefined ? undefined : value - other;
  });
  const first = dif.findIndex((value) => value !== undefined);
  const known = first < 0 ? [] : (dif.slice(first) as number[]);
  const dea: Line = [...new Array<undefined>(first < 0 ? dif.length : first).fill(undefined), ...ema(known, signal)];
  const histogram = dif.map((value, index) => {
    const other = dea[index];
    return value === undefined || other === undefined ? undefined : value - other;
  });
  return { dif, dea, histogram };
}

/** Wilder's relative strength index. */
export function rsi(values: readonly number[], length = 14): Line {
  let gain = 0;
  let loss = 0;
  return values.map((value, index) => {
    if (index === 0) return undefined;
    const change = value - (values[index - 1] as number);
    const up = Math.max(change, 0);
    const down = Math.max(-change, 0);
    if (index <= length) {
      gain += up / length;
      loss += down / length;
    } else {
      gain = (gain * (length - 1) + up) / length;
      loss = (loss * (length - 1) + down) / length;
    }
    if (index < length) return undefined;
    return loss === 0 ? (gain === 0 ? 50 : 100) : 100 - 100 / (1 + gain / loss);
  });
}

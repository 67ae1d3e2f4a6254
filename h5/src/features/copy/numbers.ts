/** The numbers of copying: how many lots a copy has, and what it costs. Exact, in decimal texts. Pure. */
import {
  addText,
  compareText,
  divideText,
  LEDGER_DECIMALS,
  multiplyText,
  roundText,
  trimZeros,
} from '@/lib/decimalText';

/** 1: a multiple of the trader's lots. 2: so many lots. */
export type Mode = 1 | 2;

export const MOST_NUMBER = '5';
const MULTIPLE_PLACES = 3;
const LOT_PLACES = 2;

/** Lots of the copy of a trade of so many lots: at least one; what is not whole is rounded half-up. */
export function copyLots(mode: Mode, number: string, traderLots: string): string {
  if (mode === 2) return number;
  const raw = multiplyText(traderLots, number);
  return compareText(raw, '1') <= 0 ? '1' : trimZeros(roundText(raw, LOT_PLACES));
}

/** What was typed as a number above 0, without what says nothing; undefined when it is none. */
export function typedNumber(text: string): string | undefined {
  return Number(text) > 0 ? trimZeros(text.replace(/\.$/, '')) : undefined;
}

export type NumberProblem = 'missing' | 'most' | 'places' | 'whole';

export function numberProblem(mode: Mode, text: string): NumberProblem | undefined {
  const number = typedNumber(text);
  if (number === undefined) return 'missing';
  const places = number.split('.')[1]?.length ?? 0;
  if (mode === 2 && places > 0) return 'whole';
  if (compareText(number, MOST_NUMBER) > 0) return 'most';
  return places > MULTIPLE_PLACES ? 'places' : undefined;
}

/** By how much one step changes the number, and its least. */
const STEPS: Record<Mode, string> = { 1: '0.1', 2: '1' };

/** One step up or down, within what is allowed. */
export function stepped(mode: Mode, text: string, direction: 1 | -1): string {
  const step = STEPS[mode];
  const next = addText(typedNumber(text) ?? '0', direction > 0 ? step : `-${step}`);
  if (compareText(next, step) < 0) return step;
  return compareText(next, MOST_NUMBER) > 0 ? MOST_NUMBER : trimZeros(next);
}

/** What a contract asks of a position at the moment. */
export interface Terms {
  symbol: string;
  asset: string;
  /** Quantity of the base. */
  lot: string;
  price: string;
  /** Percent of the value. */
  fee: string;
  /** Up to which value which multiple is allowed, by value. */
  brackets: readonly { ceiling: string; max_multiple: number }[];
}

export interface Example {
  value: string;
  margin: string;
  fee: string;
  cost: string;
  /** What a move of the price by one percent is worth. */
  percent: string;
}

/** A copy with so many lots at the trader's multiple; undefined: the contract does not allow it, so the server skips it. */
export function exampleOf(terms: Terms, lots: string, multiple: number): Example | undefined {
  const value = multiplyText(multiplyText(terms.price, terms.lot), lots);
  const bracket = terms.brackets.find(({ ceiling }) => compareText(value, ceiling) <= 0);
  if (!bracket || multiple > bracket.max_multiple) return undefined;
  const margin = divideText(value, multiple, LEDGER_DECIMALS);
  const fee = percentOf(value, terms.fee);
  return { value, margin, fee, cost: addText(margin, fee), percent: percentOf(value, '1') };
}

const percentOf = (amount: string, percent: string): string =>
  divideText(multiplyText(amount, percent), 100, LEDGER_DECIMALS);

/** The part of a net profit that is withheld; a loss has none. */
export const withheldOf = (net: string, ratio: string): string =>
  compareText(net, '0') > 0 ? percentOf(net, ratio) : '0';

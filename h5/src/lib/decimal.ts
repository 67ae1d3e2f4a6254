/**
 * Decimal arithmetic for what a user enters or is charged: 20 significant digits, half-up
 * (docs/rules/money.md "Rounding").
 */
import Decimal from 'decimal.js';

Decimal.set({ precision: 20, rounding: Decimal.ROUND_HALF_UP, toExpNeg: -30, toExpPos: 30 });

export { LEDGER_DECIMALS } from './decimalText';
export { Decimal };

/** Every digit and never an exponent: what is sent, and what is kept as text. */
export function plain(value: Decimal): string;
export function plain(value: Decimal | undefined): string | undefined;
export function plain(value: Decimal | undefined): string | undefined {
  return value?.toFixed();
}

/** With that many decimals, half-up: what a field shows. */
export const fixed = (value: Decimal, places: number): string => value.toFixed(places);

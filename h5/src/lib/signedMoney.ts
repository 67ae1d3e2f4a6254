/** Money that is gained or lost: its sign is always there. */
import { type Numeric, roundText, toDecimalText } from './decimalText';
import { directionOf, formatAmount, grouped } from './format';

const signOf = (text: string): string => ({ up: '+', down: '-', flat: '' })[directionOf(text)];
const magnitude = (text: string): string => text.replace('-', '');

/** Money that moves: two decimals. */
export function signedMoney(value: Numeric): string {
  const text = roundText(value, 2);
  return `${signOf(text)}${grouped(magnitude(text))}`;
}

/** Money as it was booked: every digit. */
export function signedExact(value: Numeric): string {
  const text = toDecimalText(value);
  return `${signOf(text)}${formatAmount(magnitude(text))}`;
}

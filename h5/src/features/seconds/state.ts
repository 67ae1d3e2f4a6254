/** What an option is at a moment of the server's clock. Pure. */
import type { TFunction } from 'i18next';
import { type Decimal, fixed } from '@/lib/decimal';
import type { Numeric } from '@/lib/decimalText';
import { directionOf, formatAmount, grouped } from '@/lib/format';

type Translate = TFunction<'seconds'>;

export type Outcome = 'win' | 'loss' | 'tie' | 'void';
/** `settling`: it has expired, and the tick that completes its proof has not come. */
export type Phase = 'running' | 'settling' | Outcome;

interface Ended {
  status: 1 | 2 | 3;
  profit_result: -1 | 0 | 1;
  is_void: boolean;
}

export const outcomeOf = ({ profit_result, is_void }: Omit<Ended, 'status'>): Outcome =>
  is_void ? 'void' : profit_result === 0 ? 'tie' : profit_result > 0 ? 'win' : 'loss';

export function phaseOf(option: Ended & { expires_ms: number }, nowMs: number): Phase {
  if (option.status === 3) return outcomeOf(option);
  return nowMs < option.expires_ms ? 'running' : 'settling';
}

export const isOver = (phase: Phase): phase is Outcome => phase !== 'running' && phase !== 'settling';

/** Milliseconds until it expires; 0 afterwards. */
export const leftMs = ({ expires_ms }: { expires_ms: number }, nowMs: number): number =>
  Math.max(0, expires_ms - nowMs);

const MINUTE = 60;

/** 30 s, 60 s, 2 min. */
export function spanText(seconds: number, t: Translate): string {
  if (seconds <= MINUTE || seconds % MINUTE !== 0) return t('seconds', { seconds });
  return t('minutes', { minutes: seconds / MINUTE });
}

export const sideName = (type: 1 | 2, t: Translate): string => t(type === 1 ? 'rise' : 'fall');

interface Named {
  type: 1 | 2;
  symbol_name: string;
  seconds: number;
  number: string;
  currency_name: string;
}

/** In one line: Rise BTC/USDT, 60 s, 100 USDT. */
export const optionText = ({ type, symbol_name, seconds, number, currency_name }: Named, t: Translate): string =>
  t('entry.summary', {
    what: t('option.title', { direction: sideName(type, t), pair: symbol_name }),
    expiry: spanText(seconds, t),
    amount: `${formatAmount(number)} ${currency_name}`,
  });

/** Every digit: odds are not rounded up. */
export const oddsText = (percent: Numeric): string => `${formatAmount(percent)}%`;

const LEAST_PLACES = 2;

/** Money that is gained or lost: every digit, at least two decimals, its sign always there. */
export function signedMoney(value: Decimal): string {
  const places = Math.max(LEAST_PLACES, value.decimalPlaces());
  const sign = { up: '+', down: '-', flat: '' }[directionOf(value.toNumber())];
  return `${sign}${grouped(fixed(value.abs(), places))}`;
}

/**
 * Owns the fiat a user thinks in: eleven codes, rates against USDT fetched at most once in 24 hours.
 * A list that lacks the chosen code leaves the choice and its last rate as they were.
 */
import { fetchMessage } from './api/client';
import { commonFiatRates, type FiatRate } from './api/schema/commonCalls';
import { fiatText, grouped } from './format';
import { appStore, atom, fiatCodeAtom, ratesAtom, ratesSavedMsAtom, remember, useAtomValue } from './state';

export const FIAT_CODES = ['USD', 'CNY', 'GBP', 'HKD', 'JPY', 'EUR', 'AED', 'THB', 'PHP', 'SGD', 'VND'] as const;
export type FiatCode = (typeof FIAT_CODES)[number];
export const RATES_TTL_MS = 24 * 60 * 60 * 1000;

export const FIAT_SYMBOLS: Record<FiatCode, string> = {
  USD: '$',
  CNY: 'CN¥',
  GBP: '£',
  HKD: 'HK$',
  JPY: '¥',
  EUR: '€',
  AED: 'AED ',
  THB: '฿',
  PHP: '₱',
  SGD: 'S$',
  VND: '₫',
};

export interface Rate {
  code: string;
  value: string;
}

export interface FiatState {
  rates: readonly Rate[];
  savedMs: number;
  code: FiatCode;
  rate: string;
}

export const isFiatCode = (code: string): code is FiatCode => (FIAT_CODES as readonly string[]).includes(code);

/** Keeps the eleven codes of a list, as far as there are rates for them. */
export function keepKnown(rows: readonly FiatRate[]): Rate[] {
  const named = rows.map(({ currency_code, value }) => ({ code: currency_code.toUpperCase(), value }));
  return named.filter(({ code, value }) => isFiatCode(code) && Number(value) > 0);
}

const rateOf = (rates: readonly Rate[], code: string): string | undefined =>
  rates.find((rate) => rate.code === code)?.value;

export function replaceRates(state: FiatState, rates: readonly Rate[], savedMs: number): FiatState {
  if (rates.length === 0) return state;
  const rate = rateOf(rates, state.code);
  if (rate) return { ...state, rates, savedMs, rate };
  return { ...state, rates: [...rates, { code: state.code, value: state.rate }], savedMs };
}

/** Without a rate for the choice amounts show in dollars: a wrong rate would be worse than another currency. */
export const fiatAtom = atom((get): FiatState => {
  const rates = get(ratesAtom);
  const chosen = get(fiatCodeAtom);
  const known = isFiatCode(chosen) ? rateOf(rates, chosen) : undefined;
  const code: FiatCode = isFiatCode(chosen) && known ? chosen : 'USD';
  return { rates, savedMs: get(ratesSavedMsAtom), code, rate: known ?? rateOf(rates, 'USD') ?? '1' };
});

/** Chooses a fiat; refused while no rate is known for it, because every amount would then be wrong. */
export function chooseFiat(code: FiatCode): boolean {
  if (code !== 'USD' && !rateOf(appStore.get(ratesAtom), code)) return false;
  appStore.set(fiatCodeAtom, code);
  return true;
}

/** Refreshes the rates if the kept ones are older than a day; silent on failure, the old ones stay. */
export async function refreshRates(nowMs = Date.now()): Promise<void> {
  const state = appStore.get(fiatAtom);
  if (state.rates.length > 0 && nowMs - state.savedMs < RATES_TTL_MS) return;
  try {
    const rates = keepKnown((await fetchMessage(commonFiatRates, {})).rates);
    const next = replaceRates(appStore.get(fiatAtom), rates, nowMs);
    remember({ rates: next.rates, ratesSavedMs: next.savedMs });
  } catch {
    // The next start of the app asks again.
  }
}

export interface Fiat {
  code: FiatCode;
  rate: string;
  /** `≈ $1,234.50` of a USDT amount. */
  approx(usdt: string | number): string;
  /** `$1,234.50`. */
  show(usdt: string | number): string;
}

export function fiatOf(state: FiatState): Fiat {
  const show = (usdt: string | number) => `${FIAT_SYMBOLS[state.code]}${grouped(fiatText(usdt, state.rate))}`;
  return { code: state.code, rate: state.rate, show, approx: (usdt) => `≈ ${show(usdt)}` };
}

export function useFiat(): Fiat {
  return fiatOf(useAtomValue(fiatAtom));
}

/** Amounts of a pair that is quoted in HKD, in USDT (docs/rules/stocks.md "Markets"). The HKD figure is the truth; this is shown. */
import type { Decimal } from '@/lib/decimal';
import { ledger } from './rules';

/** `rate`: HKD for one USDT. */
export const usdtOf = (hkd: Decimal, rate: Decimal): Decimal => ledger(hkd.div(rate));

/** The fee of a value that is shown in USDT: from its rounded amount. */
export const feeInUsdt = (usdt: Decimal, feeRate: Decimal): Decimal => ledger(usdt.times(feeRate));

/** Paying a purchase with another asset than the pair's quote asset, which is converted first (docs/rules/stocks.md "Paying with another money"). Pure. */
import { Decimal, LEDGER_DECIMALS } from '@/lib/decimal';
import type { PayWith } from './kinds';
import { ledger } from './rules';

export interface OtherPay {
  asset: PayWith;
  currencyId: number;
  available: Decimal;
  /** Of the quote asset, for one. */
  rate: Decimal;
  /** Of the conversion: a fraction of what is given, on top of it. */
  fee: Decimal;
}

/** 0.2 % more than is needed is converted, since the price may change until then. What is left stays in the quote asset. */
const MADE = new Decimal('1.002');
/** The least that the ledger counts. */
const UNIT = new Decimal(10).pow(-LEDGER_DECIMALS);

/** How much a purchase may need of the quote asset, when all of this is converted. */
export function convertible({ available, rate, fee }: OtherPay): Decimal {
  const given = ledger(available.div(fee.plus(1)), Decimal.ROUND_DOWN);
  // Its fee, rounded up, may be a unit more than is left.
  const left = available.minus(given).lt(ledger(given.times(fee))) ? given.minus(UNIT) : given;
  return ledger(Decimal.max(left, 0).times(rate).div(MADE), Decimal.ROUND_DOWN);
}

export interface Converted {
  /** With the conversion's fee. */
  given: Decimal;
  received: Decimal;
}

/** What is converted for a purchase that needs so much of the quote asset. */
export function convertedFor(needed: Decimal, { rate, fee }: OtherPay): Converted {
  const received = ledger(needed.times(MADE));
  const given = ledger(needed.times(MADE).div(rate), Decimal.ROUND_UP);
  return { given: given.plus(ledger(given.times(fee))), received };
}

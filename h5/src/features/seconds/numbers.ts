/**
 * What an option costs and pays, before it is entered and after. Rule: docs/rules/money.md "Rounding": fee and profit are
 * rounded once each, half-up, to the ledger's decimals; everything else is computed from these two.
 */
import { Decimal, LEDGER_DECIMALS } from '@/lib/decimal';

const ledger = (value: Decimal): Decimal => value.toDecimalPlaces(LEDGER_DECIMALS);
const PERCENT = 100;
const BREAK_EVEN_PLACES = 4;
const NOTHING = new Decimal(0);

export interface Estimate {
  /** On top of the stake, and gone whatever happens but a void. */
  fee: Decimal;
  /** What leaves the account. */
  cost: Decimal;
  /** What a win brings besides the stake. */
  profit: Decimal;
  /** What a win brings back: stake and profit. */
  payout: Decimal;
  /** How often one must be right to lose nothing, in percent. */
  breakEven: Decimal;
  /** What one such option brings on average when rise and fall are as likely: almost always a loss. */
  expected: Decimal;
}

export function estimate(stake: Decimal, ratioPercent: Decimal, feePercent: Decimal): Estimate {
  const fee = ledger(stake.times(feePercent).div(PERCENT));
  const profit = ledger(stake.times(ratioPercent).div(PERCENT));
  return figures(stake, fee, profit);
}

/** The same of an option whose stake is a coupon: nothing is paid for it, and only profit is paid back. */
export const estimateByCoupon = (stake: Decimal, ratioPercent: Decimal): Estimate =>
  figures(NOTHING, NOTHING, ledger(stake.times(ratioPercent).div(PERCENT)));

function figures(own: Decimal, fee: Decimal, profit: Decimal): Estimate {
  const [cost, payout] = [own.plus(fee), own.plus(profit)];
  return {
    fee,
    cost,
    profit,
    payout,
    breakEven: cost.div(payout).times(PERCENT).toDecimalPlaces(BREAK_EVEN_PLACES),
    expected: payout.div(2).minus(cost),
  };
}

/** What an option that ended changed of the balance, the fee included; a void one changes nothing. */
export function netOf(option: { fact_profits: string; fee: string; is_void: boolean }): Decimal {
  return option.is_void ? new Decimal(0) : new Decimal(option.fact_profits).minus(option.fee);
}

export interface Running {
  type: 1 | 2;
  number: string;
  profit_ratio: string;
  fee: string;
  open_price: string;
  /** The coupon that stands for the stake. */
  coupon: number | null;
}

export type Standing = 'win' | 'loss' | 'tie';

/** How an option would end at an index: 1 rises, 2 falls. */
export function standing({ type, open_price }: Pick<Running, 'type' | 'open_price'>, index: string): Standing {
  const moved = new Decimal(index).cmp(open_price);
  if (moved === 0) return 'tie';
  return moved > 0 === (type === 1) ? 'win' : 'loss';
}

/** What it would change of the balance, ended so. */
export function netAt(option: Running, ends: Standing): Decimal {
  const stake = new Decimal(option.number);
  const profit = ledger(stake.times(option.profit_ratio).div(PERCENT));
  const lost = option.coupon === null ? stake.negated() : NOTHING;
  const won = { win: profit, loss: lost, tie: NOTHING }[ends];
  return won.minus(option.fee);
}

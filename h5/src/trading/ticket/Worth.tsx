import type { Decimal } from '@/lib/decimal';
import { formatAmount } from '@/lib/format';
import { usdtOf } from './hkd';
import css from './Worth.module.css';

interface Props {
  /** In HKD. */
  amount: Decimal | undefined;
  /** HKD for one USDT; undefined where a pair is quoted in USDT. */
  rate: Decimal | undefined;
}

/** Below an amount in HKD: what that is in USDT. */
export function Worth({ amount, rate }: Props) {
  if (!rate) return null;
  return <p className={`num ${css.worth}`}>≈ {amount ? formatAmount(usdtOf(amount, rate)) : '--'} USDT</p>;
}

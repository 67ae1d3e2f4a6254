import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { formatAmount, formatMoment } from '@/lib/format';
import css from './FillItem.module.css';

export interface Fill {
  id: number;
  price: string;
  amount: string;
  fee: string;
  fee_currency: string;
  role: 'maker' | 'taker';
  created_at_ms: number;
}

interface Props {
  fill: Fill;
  /** What stands above time and role, and above the fee. */
  left: ReactNode;
  right: ReactNode;
}

/** One fill: the figures that a list cares for, and always its time, role and fee. */
export function FillItem({ fill, left, right }: Props) {
  const { t } = useTranslation('trade');
  return (
    <li className={css.fill}>
      <span className={css.line}>
        <span className="num">{left}</span>
        <span className="num">{right}</span>
      </span>
      <span className={css.note}>
        <span>
          {formatMoment(fill.created_at_ms)} · {t(`order.${fill.role}`)}
        </span>
        <span className="num">
          {t('order.fee')} {formatAmount(fill.fee)} {fill.fee_currency}
        </span>
      </span>
    </li>
  );
}

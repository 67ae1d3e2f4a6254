import { TicketPercent } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { formatAmount, formatMoment } from '@/lib/format';
import type { Coupon } from './api/stakeCoupons';
import css from './EntryForm.module.css';

interface Props {
  coupons: readonly Coupon[];
  chosen: Coupon | undefined;
  /** 0: none. */
  onChoose(id: number): void;
}

/** Coupons that can be the stake; nothing where there is none. */
export function StakeCoupons({ coupons, chosen, onChoose }: Props) {
  const { t } = useTranslation('seconds');
  if (coupons.length === 0) return null;
  return (
    <fieldset className={css.coupons}>
      <legend className={css.name}>{t('entry.coupons')}</legend>
      {coupons.map((coupon) => (
        <button
          key={coupon.id}
          type="button"
          aria-pressed={coupon.id === chosen?.id}
          onClick={() => onChoose(coupon.id === chosen?.id ? 0 : coupon.id)}
        >
          <TicketPercent size={16} aria-hidden="true" />
          <span className="num">
            {formatAmount(coupon.price)} {coupon.unit}
          </span>
          <small className="num">{t('entry.couponUntil', { time: formatMoment(coupon.expired_ms) })}</small>
        </button>
      ))}
    </fieldset>
  );
}

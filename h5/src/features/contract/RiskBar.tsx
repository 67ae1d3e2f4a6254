import { useTranslation } from 'react-i18next';
import { formatPercent } from '@/lib/format';
import type { MarginMode } from './numbers';
import css from './RiskBar.module.css';

/** A position or pool is liquidated at the first, and its owner warned at the second, in percent. */
export const LIQUIDATED_AT = 50;
export const WARNED_AT = 120;
/** The bar ends here; more is as good. */
const FULL = 250;

export type RiskTone = 'safe' | 'near' | 'end';

/** Where a risk rate stands. An isolated position begins at 100: it has nothing but its margin. */
export function riskTone(rate: number, mode: MarginMode): RiskTone {
  const near = mode === 'cross' ? WARNED_AT : (100 + LIQUIDATED_AT) / 2;
  if (rate > near) return 'safe';
  return rate > (LIQUIDATED_AT + near) / 2 ? 'near' : 'end';
}

/** How far a risk rate is from its end: the marks are at the end and at the warning. */
export function RiskBar({ rate, mode = 'cross' }: { rate: string; mode?: MarginMode }) {
  const { t } = useTranslation('contract');
  const value = Number(rate);
  const place = (percent: number) => `${(percent / FULL) * 100}%`;
  return (
    <span
      className={css.bar}
      role="img"
      aria-label={t('risk.label', { rate: formatPercent(rate, 2) })}
      data-tone={riskTone(value, mode)}
    >
      <i className={css.fill} style={{ transform: `scaleX(${Math.min(Math.max(value, 0), FULL) / FULL})` }} />
      <i className={css.mark} style={{ left: place(LIQUIDATED_AT) }} />
      <i className={css.mark} style={{ left: place(WARNED_AT) }} />
      <small className={css.figure} style={{ left: place(LIQUIDATED_AT) }}>
        {LIQUIDATED_AT}
      </small>
      <small className={css.figure} style={{ left: place(WARNED_AT) }}>
        {WARNED_AT}
      </small>
    </span>
  );
}

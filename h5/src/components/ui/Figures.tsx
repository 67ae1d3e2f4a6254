import clsx from 'clsx';
import { memo, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { PriceSource } from '@/lib/api/types';
import { directionOf, formatChange, formatPrice } from '@/lib/format';
import { useOnline } from '@/lib/online';
import css from './Figures.module.css';

interface PriceProps {
  value: string | number | null | undefined;
  places?: number | undefined;
  /** Colours by this sign, e.g. the day's change. */
  sign?: string | number;
  className?: string | undefined;
}

/** A price in tabular figures; a dash while none is known. */
export const Price = memo(function Price({ value, places, sign, className }: PriceProps) {
  const known = value !== null && value !== undefined && value !== '';
  return (
    <span className={clsx('num', sign !== undefined && css[directionOf(sign)], className)}>
      {known ? formatPrice(value, places) : '--'}
    </span>
  );
});

interface ChangeProps {
  percent: string | number;
  look?: 'text' | 'pill';
  className?: string | undefined;
}

/** A signed percentage: colour supports the sign, never replaces it. */
export const Change = memo(function Change({ percent, look = 'text', className }: ChangeProps) {
  return (
    <span className={clsx('num', css[directionOf(percent)], look === 'pill' && css.pill, className)}>
      {formatChange(percent)}
    </span>
  );
});

export type BadgeTone = 'neutral' | 'base' | 'up' | 'down' | 'warn';

export function Badge({ tone = 'neutral', children }: { tone?: BadgeTone; children: ReactNode }) {
  return <span className={clsx(css.badge, css[`badge-${tone}`])}>{children}</span>;
}

interface LiveProps {
  stale: boolean;
  source?: PriceSource | null | undefined;
  /** Age of the last update in seconds, shown when stale. */
  ageSeconds?: number | undefined;
}

/** Says honestly whether prices are current, and where they come from. */
export const LiveBadge = memo(function LiveBadge({ stale: old, source, ageSeconds }: LiveProps) {
  const { t } = useTranslation();
  const online = useOnline();
  const stale = old || !online;
  const age = ageSeconds === undefined ? '' : ` ${t('live.age', { seconds: ageSeconds })}`;
  return (
    <span className={clsx(css.live, stale && css.stale)}>
      <span className={css.dot} aria-hidden="true" />
      {stale ? `${t('live.stale')}${age}` : t(`live.${source ?? 'live'}`)}
    </span>
  );
});

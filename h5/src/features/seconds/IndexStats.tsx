import clsx from 'clsx';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { LiveBadge } from '@/components/ui';
import type { Quote } from '@/lib/api/types';
import { useFiat } from '@/lib/fiat';
import { quickPrice } from '@/lib/format';
import type { Gate } from './gate';
import css from './IndexStats.module.css';

interface Props extends Gate {
  quote: Quote;
}

/** The index that options are entered at and settled by, how old it is and where it comes from. */
export function IndexStats({ quote, gate, status, ageSeconds }: Props) {
  const { t } = useTranslation(['seconds', 'trade']);
  const fiat = useFiat();
  const stale = gate !== 'open';
  const way = useWay(status?.index);
  return (
    <section className={css.stats} aria-label={t('stats.label')}>
      <dl className={clsx(css.index, stale && css.stale)} data-stale={stale || undefined}>
        <dt>{t('stats.index')}</dt>
        <dd className="num">
          <b data-way={way}>{status ? quickPrice(status.index, quote.precision_length) : '--'}</b>
          <small>{status ? fiat.approx(status.index) : ''}</small>
        </dd>
      </dl>
      <span className={css.source}>
        {gate === 'open' || gate === 'stale' ? (
          <LiveBadge
            stale={stale}
            source={status?.source ?? quote.source}
            {...(stale && ageSeconds !== undefined ? { ageSeconds } : {})}
          />
        ) : (
          <small>{t(`trade:gate.${gate}`)}</small>
        )}
        {gate === 'open' && ageSeconds !== undefined && (
          <small className="num">{t('stats.age', { seconds: ageSeconds })}</small>
        )}
      </span>
    </section>
  );
}

/** Which way the index went when it last moved. */
function useWay(index: number | undefined): 'up' | 'down' | undefined {
  const seen = useRef<{ index: number | undefined; way: 'up' | 'down' | undefined }>({ index, way: undefined });
  const { index: before, way } = seen.current;
  if (index === undefined || index === before) return way;
  const next = before === undefined ? undefined : index > before ? 'up' : 'down';
  seen.current = { index, way: next };
  return next;
}

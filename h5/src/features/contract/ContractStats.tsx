import clsx from 'clsx';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { LiveBadge } from '@/components/ui';
import type { Quote } from '@/lib/api/types';
import { formatAmount, formatPrice } from '@/lib/format';
import { useConnection, useMarketStatus } from '@/lib/market';
import css from './ContractStats.module.css';
import { useContractGate } from './gate';
import type { ContractRules } from './rules';

const DAY_MS = 24 * 60 * 60 * 1_000;

/** HH:MM:SS until the next night is charged, at 00:00 UTC. */
export function untilNight(nowMs: number): string {
  const seconds = Math.floor((DAY_MS - (nowMs % DAY_MS)) / 1_000);
  const two = (value: number) => String(value).padStart(2, '0');
  return [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60].map(two).join(':');
}

interface Props {
  quote: Quote;
  rules: ContractRules;
}

/** The prices that positions go by, how old they are and where they come from, and what a night costs. */
export const ContractStats = memo(function ContractStats({ quote, rules }: Props) {
  const { t } = useTranslation(['contract', 'trade']);
  const { gate, face, ageSeconds } = useContractGate(rules.symbol, rules.staleAfterMs);
  const { serverOffsetMs } = useConnection();
  const source = useMarketStatus(rules.symbol)?.source ?? quote.source;
  const stale = gate !== 'open';
  const price = (value: string | undefined) =>
    value === undefined || Number(value) === 0 ? '--' : formatPrice(value, rules.priceDecimals);
  return (
    <section className={css.stats} aria-label={t('stats.label')}>
      <dl className={clsx(css.numbers, stale && css.stale)} data-stale={stale || undefined}>
        <div className={css.index}>
          <dt>{t('stats.index')}</dt>
          <dd className="num">{price(face?.index)}</dd>
        </div>
        <div>
          <dt>{t('stats.mark')}</dt>
          <dd className="num">{price(face?.mark)}</dd>
        </div>
        <div className={css.night}>
          <dt>{t('stats.night')}</dt>
          <dd className="num">
            {formatAmount(rules.night.times(100))}%{' '}
            <small>{t('stats.nightIn', { time: untilNight(Date.now() + serverOffsetMs) })}</small>
          </dd>
        </div>
      </dl>
      <span className={css.source}>
        {gate === 'open' || gate === 'stale' ? (
          <LiveBadge stale={stale} source={source} {...(stale ? { ageSeconds } : {})} />
        ) : (
          <small className={css.age}>{t(`trade:gate.${gate}`)}</small>
        )}
        {gate === 'open' && ageSeconds !== undefined && (
          <small className={`num ${css.age}`}>{t('stats.age', { seconds: ageSeconds })}</small>
        )}
      </span>
    </section>
  );
});

import clsx from 'clsx';
import { memo, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { LiveBadge } from '@/components/ui';
import type { Quote } from '@/lib/api/types';
import { formatAmount } from '@/lib/format';
import { useConnection, useMarketStatus } from '@/lib/market';
import css from './ContractStats.module.css';
import { type ContractGate, useContractGate } from './gate';
import type { ContractRules } from './rules';
import { priceOr, until } from './show';

const DAY_MS = 24 * 60 * 60 * 1_000;

/** HH:MM:SS until the next night is charged, at 00:00 UTC. */
export const untilNight = (nowMs: number): string => until(nowMs - (nowMs % DAY_MS) + DAY_MS, nowMs);

interface RowProps {
  className?: string | undefined;
  gate: ContractGate;
  source: Quote['source'];
  ageSeconds: number | undefined;
  /** Tells how old the index is while it is good, too. */
  aged?: boolean;
  /** Names and figures. */
  children: ReactNode;
}

/** Figures of a contract on one line, dimmed while they must not be relied on, and where they come from. */
export function StatsRow({ className, gate, source, ageSeconds, aged = false, children }: RowProps) {
  const { t } = useTranslation(['contract', 'trade']);
  const stale = gate !== 'open';
  return (
    <section className={clsx(css.stats, className)} aria-label={t('stats.label')}>
      <dl className={clsx(css.numbers, stale && css.stale)} data-stale={stale || undefined}>
        {children}
      </dl>
      <span className={css.source}>
        {gate === 'open' || gate === 'stale' ? (
          <LiveBadge stale={stale} source={source} {...(stale ? { ageSeconds } : {})} />
        ) : (
          <small className={css.age}>{t(`trade:gate.${gate}`)}</small>
        )}
        {aged && gate === 'open' && ageSeconds !== undefined && (
          <small className={`num ${css.age}`}>{t('stats.age', { seconds: ageSeconds })}</small>
        )}
      </span>
    </section>
  );
}

interface Props {
  quote: Quote;
  rules: ContractRules;
}

/** The prices that positions go by, how old they are and where they come from, and what a night costs. */
export const ContractStats = memo(function ContractStats({ quote, rules }: Props) {
  const { t } = useTranslation('contract');
  const { gate, face, ageSeconds } = useContractGate(rules.symbol, rules.staleAfterMs);
  const { serverOffsetMs } = useConnection();
  const source = useMarketStatus(rules.symbol)?.source ?? quote.source;
  const price = (value: string | undefined) => priceOr(value ?? null, rules.priceDecimals);
  return (
    <StatsRow gate={gate} source={source} ageSeconds={ageSeconds} aged>
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
    </StatsRow>
  );
});

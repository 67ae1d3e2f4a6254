import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Quote } from '@/lib/api/types';
import { formatPercent } from '@/lib/format';
import { bookSymbol, useConnection, useMarketStatus } from '@/lib/market';
import { useLastPrice } from '@/trading';
import type { BookRules } from '../api/book';
import { StatsRow } from '../ContractStats';
import css from '../ContractStats.module.css';
import { useContractGate } from '../gate';
import { priceOr, until } from '../show';
import pro from './Pro.module.css';

interface Props {
  quote: Quote;
  rules: BookRules;
}

/** Last trade, mark and index apart, and the funding rate with the time until it is paid. */
export const ProStats = memo(function ProStats({ quote, rules }: Props) {
  const { t } = useTranslation('contract');
  const { gate, face, ageSeconds } = useContractGate(rules.symbol, rules.staleAfterMs);
  const { serverOffsetMs } = useConnection();
  const last = useLastPrice(bookSymbol(rules.symbol)) ?? rules.last ?? undefined;
  const source = useMarketStatus(rules.symbol)?.source ?? quote.source;
  const price = (value: string | number | undefined) => priceOr(String(value ?? 0), rules.priceDecimals);
  const rate = formatPercent(Number(rules.fundingRate) * 100, 4);
  const figures = [
    ['last', t('pro.last'), price(last)],
    ['mark', t('stats.mark'), price(face?.mark)],
    ['index', t('stats.index'), price(face?.index)],
  ] as const;
  return (
    <StatsRow className={pro.stats} gate={gate} source={source} ageSeconds={ageSeconds}>
      {figures.map(([name, label, value]) => (
        <div key={name} className={name === 'mark' ? css.index : undefined}>
          <dt>{label}</dt>
          <dd className="num">{value}</dd>
        </div>
      ))}
      <div className={css.night}>
        <dt>{t('pro.funding')}</dt>
        <dd className="num">
          {rate} <small>{until(rules.nextFundingMs, Date.now() + serverOffsetMs)}</small>
        </dd>
      </div>
    </StatsRow>
  );
});

import clsx from 'clsx';
import { useTranslation } from 'react-i18next';
import { ErrorState, SkeletonRows } from '@/components/ui';
import { Decimal } from '@/lib/decimal';
import { formatAmount, formatMoment, formatPercent } from '@/lib/format';
import { Fact, Facts } from '@/trading';
import { type BookRules, useFunding, useInsurance } from '../api/book';
import type { Pair } from '../rules';
import { signedExact } from '../show';
import css from './Pro.module.css';

const SHOWN = 8;
const percent = (rate: string): string => formatPercent(new Decimal(rate).times(100), 4);

/** The funding of a contract: the rate so far, those before, what one's own positions got or paid, and the insurance. */
export function FundingTab({ pair, rules }: { pair: Pair; rules: BookRules }) {
  const { t } = useTranslation('contract');
  const { data, error, refetch } = useFunding(pair);
  const insurance = useInsurance().data;
  if (!data) {
    return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <SkeletonRows rows={6} icon={false} />;
  }
  const fund = insurance?.funds.find(({ coin }) => coin === rules.settle);
  const quota = insurance?.contracts.find(({ match_id }) => match_id === data.match_id);
  return (
    <div className={css.funding}>
      <section>
        <h2>{t('pro.fundingNow')}</h2>
        <Facts>
          <Fact name={t('pro.rateSoFar')}>{percent(data.rate)}</Fact>
          <Fact name={t('pro.nextFunding')}>{formatMoment(data.next_ms)}</Fact>
          <Fact name={t('pro.rateCap')}>±{percent(data.cap)}</Fact>
          {fund && (
            <Fact name={t('pro.insurance')}>
              {formatAmount(fund.total, 2)} {fund.coin}
            </Fact>
          )}
          {quota && (
            <Fact name={t('pro.quota')}>
              {formatAmount(quota.quota, 2)} {quota.coin}
            </Fact>
          )}
        </Facts>
        <p className={clsx(css.note)}>{t('pro.fundingNote')}</p>
      </section>
      <section>
        <h2>{t('pro.paid')}</h2>
        {data.paid.length === 0 ? (
          <p className={css.note}>{t('pro.noPayments')}</p>
        ) : (
          <ul className={css.list}>
            {data.paid.slice(0, SHOWN).map(({ id, time_ms, amount, coin }) => (
              <li key={id}>
                <span>{formatMoment(time_ms)}</span>
                <span className="num">
                  {signedExact(new Decimal(amount))} {coin}
                </span>
              </li>
            ))}
          </ul>
        )}
      </section>
      <section>
        <h2>{t('pro.rates')}</h2>
        {data.history.length === 0 ? (
          <p className={css.note}>{t('pro.noRates')}</p>
        ) : (
          <ul className={css.list}>
            {data.history.slice(0, SHOWN).map(({ time_ms, rate }) => (
              <li key={time_ms}>
                <span>{formatMoment(time_ms)}</span>
                <span className="num">{percent(rate)}</span>
              </li>
            ))}
          </ul>
        )}
      </section>
    </div>
  );
}

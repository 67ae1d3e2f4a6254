import { useTranslation } from 'react-i18next';
import { isZeroText } from '@/lib/decimalText';
import { formatAmount } from '@/lib/format';
import type { WithdrawQuote } from '../api/quote';
import css from '../Deposit.module.css';

interface LineProps {
  name: string;
  strong?: boolean;
  children: string;
}

export function Line({ name, strong, children }: LineProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className="num">{strong ? <b>{children}</b> : children}</dd>
    </div>
  );
}

interface Props {
  quote: WithdrawQuote;
  /** Beside what it costs, what may be asked for at all. */
  limits?: boolean;
}

/** What a withdrawal costs, what arrives, and who has to agree. */
export function Terms({ quote, limits }: Props) {
  const { t } = useTranslation('withdraw');
  const { currency_name: coin, votes, inside } = quote;
  // Without an amount nobody knows yet who has to agree.
  const none = isZeroText(quote.number);
  const amount = (text: string) => `${formatAmount(text)} ${coin}`;
  return (
    <dl className={css.lines}>
      <Line name={t('fee')}>{inside ? t('noFee') : amount(quote.fee)}</Line>
      <Line name={t('arrives')} strong>
        {none ? '--' : amount(quote.net)}
      </Line>
      <Line name={t('approval')}>{none ? '--' : votes === 0 ? t('atOnce') : t('lookedAt', { n: votes })}</Line>
      {limits && (
        <>
          <Line name={t('least')}>{amount(quote.min_number)}</Line>
          <Line name={t('most')}>{amount(quote.max_number)}</Line>
          <Line name={t('used')}>
            {t('usedOf', { used: formatAmount(quote.used), limit: formatAmount(quote.limit), coin })}
          </Line>
        </>
      )}
    </dl>
  );
}

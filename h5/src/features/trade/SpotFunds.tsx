import { useTranslation } from 'react-i18next';
import { formatAmount } from '@/lib/format';
import type { Funds, OtherPay, PairRules } from '@/trading';
import css from './SpotFunds.module.css';

interface Props {
  rules: PairRules;
  funds: Funds;
  /** What else the pair is paid with. */
  other: OtherPay | undefined;
}

/** What the spot account has of both sides of the pair. */
export function SpotFunds({ rules, funds, other }: Props) {
  const { t } = useTranslation();
  return (
    <section className={css.funds} aria-labelledby="spot-funds">
      <h2 id="spot-funds" className={css.title}>
        {t('tab.assets')} · {t('account.change')}
      </h2>
      <dl>
        {(
          [
            [rules.base, funds.base],
            [rules.quote, funds.quote],
            ...(other ? [[other.asset, other.available] as const] : []),
          ] as const
        ).map(([asset, amount]) => (
          <div key={asset}>
            <dt>{asset}</dt>
            <dd className="num">{formatAmount(amount)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

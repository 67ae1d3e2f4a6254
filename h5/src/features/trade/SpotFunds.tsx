import { useTranslation } from 'react-i18next';
import { formatAmount } from '@/lib/format';
import type { Funds, PairRules } from '@/trading';
import css from './SpotFunds.module.css';

/** What the spot account has of both sides of the pair. */
export function SpotFunds({ rules, funds }: { rules: PairRules; funds: Funds }) {
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

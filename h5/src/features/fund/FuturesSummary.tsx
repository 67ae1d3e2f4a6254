import clsx from 'clsx';
import { useTranslation } from 'react-i18next';
import { Button } from '@/components/ui';
import { PATHS } from '@/config/paths';
import type { Positions } from '@/lib/api/wallets';
import { isZeroText } from '@/lib/decimalText';
import { directionOf, formatPercent, formatPrice } from '@/lib/format';
import { navigateTo } from '@/lib/navigation';
import { HIDDEN } from '@/lib/preferences';
import css from './FuturesSummary.module.css';

/** Cross positions are warned of at this risk rate, in percent. */
const WARNED_AT = 120;

interface Props {
  positions: Positions;
  hidden: boolean;
}

/** What open positions make of the futures account, in USDT as the sum above, and the ways to them. */
export function FuturesSummary({ positions, hidden }: Props) {
  const { t } = useTranslation('fund');
  const { equity, unrealized, riskRate } = positions;
  const none = isZeroText(riskRate);
  const gains = directionOf(unrealized);
  const sign = gains === 'up' ? '+' : '';
  return (
    <section className={css.summary} aria-label={t('futures.label')}>
      <dl className={css.figures}>
        <div>
          <dt>{t('futures.equity')} (USDT)</dt>
          <dd className="num">{hidden ? HIDDEN : formatPrice(equity, 2)}</dd>
        </div>
        <div>
          <dt>{t('futures.unrealized')} (USDT)</dt>
          <dd className={clsx('num', !hidden && css[gains])}>
            {hidden ? HIDDEN : `${sign}${formatPrice(unrealized, 2)}`}
          </dd>
        </div>
        <div>
          <dt>{t('futures.risk')}</dt>
          <dd className={clsx('num', !none && Number(riskRate) <= WARNED_AT && css.warn)}>
            {none ? '--' : formatPercent(riskRate, 2)}
          </dd>
        </div>
      </dl>
      <p className={css.note}>{t(none ? 'futures.noRisk' : 'futures.riskNote')}</p>
      <div className={css.actions}>
        <Button tone="secondary" block onClick={() => navigateTo(PATHS.contractOrder)}>
          {t('futures.positions')}
        </Button>
        <Button block onClick={() => navigateTo(PATHS.contract)}>
          {t('futures.trade')}
        </Button>
      </div>
    </section>
  );
}

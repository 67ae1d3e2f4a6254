import clsx from 'clsx';
import { useTranslation } from 'react-i18next';
import type { Decimal } from '@/lib/decimal';
import { directionOf, formatPercent } from '@/lib/format';
import { Warning } from '@/trading';
import { RiskBar, WARNED_AT } from './RiskBar';
import css from './RiskSummary.module.css';
import { signedMoney } from './show';

interface Props {
  /** Percent; undefined without a cross position. */
  riskRate: string | undefined;
  profits: Decimal;
  asset: string;
}

/** How near the cross pool is to its end, and what all positions gain together. */
export function RiskSummary({ riskRate, profits, asset }: Props) {
  const { t } = useTranslation('contract');
  return (
    <>
      <div className={css.summary}>
        <div className={css.risk} title={t('risk.explained')}>
          <span className={css.name}>{t('risk.total')}</span>
          <b className="num">{riskRate === undefined ? '--' : formatPercent(riskRate, 2)}</b>
          {riskRate === undefined ? <small>{t('risk.none')}</small> : <RiskBar rate={riskRate} />}
        </div>
        <div className={css.profits}>
          <span className={css.name}>
            {t('risk.profits')} ({asset})
          </span>
          <b className={clsx('num', css[directionOf(profits.toNumber())])}>{signedMoney(profits)}</b>
        </div>
      </div>
      {riskRate !== undefined && Number(riskRate) <= WARNED_AT && (
        <div className={css.warning}>
          <Warning>{t('risk.warning')}</Warning>
        </div>
      )}
    </>
  );
}

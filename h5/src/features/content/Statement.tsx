import { Download } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { ButtonLink, CoinIcon, Copied } from '@/components/ui';
import type { ReservedAsset, ReserveStatement } from '@/lib/api/schema/reservesCalls';
import { formatAmount, formatDateTime, grouped } from '@/lib/format';
import css from './Statement.module.css';

/** One statement of reserves: what was held, when, at which block, and its file. */
export function Statement({ statement }: { statement: ReserveStatement }) {
  const { t } = useTranslation('reserves');
  const { height, hash, time_ms, addresses, assets, id, file } = statement;
  return (
    <div className={css.statement}>
      <ul className={css.assets}>
        {assets.map((asset) => (
          <Asset key={asset.contract ?? asset.currency_name} asset={asset} />
        ))}
      </ul>
      <dl className={css.facts}>
        <div>
          <dt>{t('made')}</dt>
          <dd className="num">{formatDateTime(time_ms)}</dd>
        </div>
        <div>
          <dt>{t('addresses')}</dt>
          <dd className="num">{grouped(String(addresses))}</dd>
        </div>
        <div>
          <dt>{t('block')}</dt>
          <dd className="num">{grouped(String(height))}</dd>
        </div>
      </dl>
      <div className={css.names}>
        <Copied label={t('hash')} text={hash} />
        <Copied label={t('id')} text={id} />
      </div>
      <ButtonLink block tone="secondary" icon={<Download size={17} aria-hidden="true" />} href={file} download>
        {t('download')}
      </ButtonLink>
    </div>
  );
}

function Asset({ asset: { currency_name, network, contract, held } }: { asset: ReservedAsset }) {
  const { t } = useTranslation('deposit');
  return (
    <li>
      <CoinIcon name={currency_name} size={30} />
      <span className={css.asset}>
        <b>{currency_name}</b>
        <span>
          {t('network')} {network}
        </span>
      </span>
      <b className={`num ${css.held}`}>{formatAmount(held)}</b>
      {contract && <code className={css.contract}>{contract}</code>}
    </li>
  );
}

import { useTranslation } from 'react-i18next';
import { CoinIcon, Empty, InfiniteList } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { isZeroText } from '@/lib/decimalText';
import { formatAmount, formatMoment, parseServerTime } from '@/lib/format';
import { stateOf } from '@/lib/market';
import { navigateTo } from '@/lib/navigation';
import { unitName } from '@/lib/stocks';
import type { Entry, LogRow, OrderRecord, useLog, useTransferHistory } from './api/log';
import css from './LogList.module.css';

interface Props {
  log: ReturnType<typeof useLog> | ReturnType<typeof useTransferHistory>;
  label: string;
  /** Names the account of each row: where rows of several are mixed. */
  withAccount?: boolean;
}

/** Movements, newest first; what came in carries a plus, and an order leads to its details. */
export function LogList({ log, label, withAccount = false }: Props) {
  const { t } = useTranslation('fund');
  return (
    <InfiniteList<Entry>
      {...log}
      label={label}
      rowKey={(row) => `${'order' in row} ${row.id}`}
      empty={<Empty title={t('noRecords')} note={t('noRecordsNote')} />}
      renderRow={(row) =>
        'order' in row ? (
          <OrderLine row={row} withAccount={withAccount} />
        ) : (
          <div className={css.row}>
            <CoinIcon name={row.currency_name} size={32} />
            <Words row={row} title={row.info} withAccount={withAccount} />
            <Amounts changes={[row]} />
          </div>
        )
      }
    />
  );
}

function OrderLine({ row, withAccount }: { row: OrderRecord; withAccount: boolean }) {
  const { t } = useTranslation('trade');
  const { order } = row;
  const [base = ''] = order.symbol.split('/');
  const side = t(order.type === 1 ? 'ticket.buy' : 'ticket.sell');
  return (
    <button type="button" className={css.row} onClick={() => navigateTo(PATHS.currencyOrder, { id: order.id })}>
      <CoinIcon name={base} size={32} />
      <Words
        row={row}
        title={`${side} ${order.symbol}`}
        state={t(`status.${stateOf(order)}`)}
        withAccount={withAccount}
      />
      <Amounts changes={row.changes} />
    </button>
  );
}

interface WordsProps {
  row: Entry;
  title: string;
  state?: string;
  withAccount: boolean;
}

function Words({ row, title, state, withAccount }: WordsProps) {
  const { t } = useTranslation();
  const account = withAccount && row.account ? t(`account.${row.account}`) : '';
  const time = formatMoment(row.created_time_ms ?? parseServerTime(row.created_time));
  return (
    <span className={css.left}>
      <b>{title}</b>
      <span className="num">{[account, state, time].filter(Boolean).join(' · ')}</span>
    </span>
  );
}

function Amounts({ changes }: { changes: readonly Pick<LogRow, 'value' | 'currency' | 'currency_name'>[] }) {
  return (
    <span className={`num ${css.amounts}`}>
      {changes.map(({ value, currency, currency_name: name }) => {
        const received = !value.startsWith('-') && !isZeroText(value);
        return (
          <span key={currency} className={received ? css.received : css.spent}>
            {received ? '+' : ''}
            {formatAmount(value)}
            <small> {unitName(name)}</small>
          </span>
        );
      })}
    </span>
  );
}

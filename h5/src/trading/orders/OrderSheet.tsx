import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Badge, Button, ErrorState, Sheet, SkeletonRows } from '@/components/ui';
import { formatAmount, formatDateTime } from '@/lib/format';
import { freshest, isOpen, type OrderRow, useAccount } from '@/lib/market';
import { unitName } from '@/lib/stocks';
import { kindOfRow } from '../ticket/kinds';
import { tifText } from '../ticket/tifText';
import { Fact, Facts } from './Facts';
import { type Fill, FillItem } from './FillItem';
import css from './OrderSheet.module.css';
import { cancelWord, filledOf, listWord, stateText, triggerText } from './orderFigures';

/** What the product tells of one order: the row as the server has it now, with its fills. */
export interface OrderDetails {
  data: (OrderRow & { fills: readonly Fill[] }) | undefined;
  isPending: boolean;
  error: unknown;
  refetch(): unknown;
}

interface Props {
  order: OrderRow | undefined;
  /** Of the order last shown: it stays while the sheet slides away. */
  detail: OrderDetails;
  onClose(): void;
  onCancel(order: OrderRow): void;
  cancelling: boolean;
}

/** An order with its fills. */
export function OrderSheet({ order, detail, onClose, onCancel, cancelling }: Props) {
  const { t } = useTranslation('trade');
  const [shown, setShown] = useState(order);
  if (order && order !== shown) setShown(order);
  return (
    <Sheet open={order !== undefined} onClose={onClose} title={t('order.detail')}>
      {shown && <Detail order={shown} detail={detail} onCancel={onCancel} cancelling={cancelling} />}
    </Sheet>
  );
}

function Detail({ order, detail, onCancel, cancelling }: Omit<Props, 'order' | 'onClose'> & { order: OrderRow }) {
  const { t } = useTranslation(['trade', 'stock']);
  const account = useAccount();
  const row = freshest(account, detail.data ?? order);
  const [name = '', quote = ''] = row.symbol.split('/');
  const base = unitName(name);
  const buy = row.type === 1;
  const others = Object.values(account.orders).filter(({ id, list_id }) => id !== row.id && list_id === row.list_id);
  const list = row.list_id > 0 ? [row, ...others].filter(isOpen) : [];
  return (
    <>
      <p className={css.head}>
        <strong className={buy ? css.buy : css.sell}>{t(buy ? 'ticket.buy' : 'ticket.sell')}</strong>
        <strong>{row.symbol}</strong>
        <Badge tone={isOpen(row) ? 'base' : row.status === 2 ? 'up' : 'neutral'}>{stateText(row, t)}</Badge>
      </p>
      <Facts>
        <Fact name={t('order.type')}>{t(`ticket.${kindOfRow(row)}`)}</Fact>
        {kindOfRow(row) === 'limit' && <Fact name={t('stock:order.tif')}>{tifText(row.tif, t)}</Fact>}
        <WaitingFacts order={row} list={list} quote={quote} />
        <Fact name={t('order.price')}>
          {row.order_type === 'market' ? t('order.market') : `${formatAmount(row.target_price)} ${quote}`}
        </Fact>
        <Fact name={t('order.average')}>
          {Number(row.trade_price) > 0 ? `${formatAmount(row.trade_price)} ${quote}` : '--'}
        </Fact>
        <Fact name={t('order.filledOf')}>{filledOf(row)}</Fact>
        <Fact name={t('order.value')}>
          {formatAmount(row.filled_total)} {quote}
        </Fact>
        <Fact name={t('order.fee')}>
          {formatAmount(row.fee)} {row.fee_currency}
        </Fact>
        <Fact name={t('order.created')}>{formatDateTime(row.created_at_ms)}</Fact>
        {row.updated_at_ms > 0 && <Fact name={t('order.updated')}>{formatDateTime(row.updated_at_ms)}</Fact>}
        {(row.reason === 'other_order' || row.reason === 'replaced' || row.reason === 'refused') && (
          <Fact name={t('order.reason')}>{t(`order.reasons.${row.reason}`)}</Fact>
        )}
        {(row.reason === 'session_end' || row.reason === 'corporate_action') && (
          <Fact name={t('order.reason')}>{t(`stock:order.reasons.${row.reason}`)}</Fact>
        )}
        {row.order_no && <Fact name={t('order.number')}>{row.order_no}</Fact>}
      </Facts>
      <h3 className={css.title}>{t('order.fills')}</h3>
      {detail.isPending && <SkeletonRows rows={2} icon={false} />}
      {Boolean(detail.error) && <ErrorState compact error={detail.error} onRetry={() => void detail.refetch()} />}
      {detail.data && <Fills fills={detail.data.fills} base={base} />}
      {isOpen(row) && (
        <Button block tone="danger" loading={cancelling} throttleMs={1000} onClick={() => onCancel(row)}>
          {t(`orders.${cancelWord(list.length)}`)}
        </Button>
      )}
    </>
  );
}

/** What a plain order has nothing to say about: its trigger, the other order of its list, what of it is shown. */
function WaitingFacts({ order, list, quote }: { order: OrderRow; list: readonly OrderRow[]; quote: string }) {
  const { t } = useTranslation('trade');
  const when = triggerText(order);
  const [name = ''] = order.symbol.split('/');
  const base = unitName(name);
  const begins = Boolean(order.trail) && Number(order.trigger_price) > 0;
  return (
    <>
      {when && (
        <Fact name={t('order.trigger')}>
          {t(`order.when.${when.key}`, { price: formatAmount(when.price), percent: formatAmount(when.percent) })}
        </Fact>
      )}
      {begins && (
        <Fact name={t('order.activation')}>
          {formatAmount(order.trigger_price ?? '0')} {quote}
        </Fact>
      )}
      {order.list_id > 0 && <Fact name={t('order.list')}>{t(`orders.${listWord(list)}`)}</Fact>}
      {Number(order.visible_amount) > 0 && (
        <Fact name={t('order.visible')}>
          {formatAmount(order.visible_amount)} {base}
        </Fact>
      )}
    </>
  );
}

function Fills({ fills, base }: { fills: readonly Fill[]; base: string }) {
  const { t } = useTranslation('trade');
  if (fills.length === 0) return <p className={css.none}>{t('order.noFills')}</p>;
  return (
    <ul className={css.fills}>
      {fills.map((fill) => (
        <FillItem
          key={fill.id}
          fill={fill}
          left={formatAmount(fill.price)}
          right={`${formatAmount(fill.amount)} ${base}`}
        />
      ))}
    </ul>
  );
}

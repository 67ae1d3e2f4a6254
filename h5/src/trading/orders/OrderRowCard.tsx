import clsx from 'clsx';
import { memo, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Badge, Button } from '@/components/ui';
import { formatAmount, formatMoment } from '@/lib/format';
import { isOpen, type OrderRow } from '@/lib/market';
import { unitName } from '@/lib/stocks';
import { kindOfRow } from '../ticket/kinds';
import { tifText } from '../ticket/tifText';
import css from './OrderRowCard.module.css';
import { filledOf, filledPercent, isQueued, stateText, triggerText, wasFilled } from './orderFigures';

interface Props {
  order: OrderRow;
  onOpen(order: OrderRow): void;
  /** Absent: the row is cancelled with its list. */
  onCancel?: ((order: OrderRow) => void) | undefined;
  cancelling: boolean;
}

/** One order: what, at which price, how much of it is done. */
export const OrderRowCard = memo(function OrderRowCard({ order, onOpen, onCancel, cancelling }: Props) {
  const { t } = useTranslation(['trade', 'stock']);
  const buy = order.type === 1;
  const [name = '', quote = ''] = order.symbol.split('/');
  const market = order.order_type === 'market';
  const percent = filledPercent(order);
  const queued = isQueued(order);
  return (
    <article className={css.card}>
      <button type="button" className={css.body} onClick={() => onOpen(order)}>
        <span className={css.top}>
          <span className={clsx(css.side, buy ? css.buy : css.sell)}>{t(buy ? 'ticket.buy' : 'ticket.sell')}</span>
          <span className={css.pair}>{order.symbol}</span>
          <span className={css.kind}>
            {t(`ticket.${kindOfRow(order)}`)}
            {order.tif === 'DAY' && ` · ${tifText(order.tif, t)}`}
          </span>
          <time className={css.time} dateTime={new Date(order.created_at_ms).toISOString()}>
            {formatMoment(order.created_at_ms)}
          </time>
        </span>
        {(order.trigger || order.waiting) && !queued && <TriggerLine order={order} />}
        {queued && (
          <span className={css.trigger}>
            <Badge tone="base">{stateText(order, t)}</Badge>
          </span>
        )}
        <span className={css.grid}>
          {!(market && wasFilled(order)) && (
            <Figure name={t('order.price')}>{market ? t('order.market') : formatAmount(order.target_price)}</Figure>
          )}
          <Figure name={t('order.filledOf')}>{filledOf(order)}</Figure>
          {Number(order.visible_amount) > 0 && (
            <Figure name={t('order.visible')}>
              {formatAmount(order.visible_amount)} {unitName(name)}
            </Figure>
          )}
          {wasFilled(order) && !isOpen(order) && (
            <>
              <Figure name={t('order.average')}>{formatAmount(order.trade_price)}</Figure>
              <Figure name={t('order.value')}>
                {formatAmount(order.filled_total)} {quote}
              </Figure>
              <Figure name={t('order.fee')}>
                {formatAmount(order.fee)} {order.fee_currency}
              </Figure>
            </>
          )}
        </span>
        {isOpen(order) && percent > 0 && (
          <span className={css.track} aria-hidden="true">
            <i style={{ transform: `scaleX(${percent / 100})` }} data-buy={buy || undefined} />
          </span>
        )}
      </button>
      {isOpen(order) && onCancel && (
        <Button
          tone="secondary"
          size="s"
          className={css.cancel}
          loading={cancelling}
          throttleMs={1000}
          onClick={() => onCancel(order)}
        >
          {t('orders.cancel')}
        </Button>
      )}
      {!isOpen(order) && (
        <span className={css.status}>
          <Badge tone={order.status === 2 ? 'up' : 'neutral'}>{stateText(order, t)}</Badge>
        </span>
      )}
    </article>
  );
});

function Figure({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <span className={css.name}>{name}</span>
      <span className={`num ${css.value}`}>{children}</span>
    </>
  );
}

/** "Sell when price ≤ 58,000", and whether that has come. */
function TriggerLine({ order }: { order: OrderRow }) {
  const { t } = useTranslation(['trade', 'stock']);
  const when = triggerText(order);
  return (
    <span className={css.trigger}>
      {when && (
        <span className="num">
          {t(`order.when.${when.key}`, { price: formatAmount(when.price), percent: formatAmount(when.percent) })}
        </span>
      )}
      {isOpen(order) && (
        <Badge tone={order.waiting ? 'base' : 'up'}>
          {order.waiting ? stateText(order, t) : t('status.triggered')}
        </Badge>
      )}
    </span>
  );
}

import clsx from 'clsx';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { Badge, Button } from '@/components/ui';
import { formatAmount, formatMoment } from '@/lib/format';
import { isOpen, type OrderRow } from '@/lib/market';
import { filledPercent, STATUS_NAMES } from '../orderFigures';
import css from './OrderRowCard.module.css';

interface Props {
  order: OrderRow;
  onOpen(order: OrderRow): void;
  onCancel(order: OrderRow): void;
  cancelling: boolean;
}

/** One order: what, at which price, how much of it is done. */
export const OrderRowCard = memo(function OrderRowCard({ order, onOpen, onCancel, cancelling }: Props) {
  const { t } = useTranslation('trade');
  const buy = order.type === 1;
  const [base = ''] = order.symbol.split('/');
  const percent = filledPercent(order);
  return (
    <article className={css.card}>
      <button type="button" className={css.body} onClick={() => onOpen(order)}>
        <span className={css.top}>
          <span className={clsx(css.side, buy ? css.buy : css.sell)}>{t(buy ? 'ticket.buy' : 'ticket.sell')}</span>
          <span className={css.pair}>{order.symbol}</span>
          <span className={css.kind}>{t(`ticket.${order.order_type}`)}</span>
          <time className={css.time} dateTime={new Date(order.created_at_ms).toISOString()}>
            {formatMoment(order.created_at_ms)}
          </time>
        </span>
        <span className={css.grid}>
          <span className={css.name}>{t('order.price')}</span>
          <span className={`num ${css.value}`}>
            {order.order_type === 'market' ? t('order.market') : formatAmount(order.target_price)}
          </span>
          <span className={css.name}>{t('order.filledOf')}</span>
          <span className={`num ${css.value}`}>
            {formatAmount(order.filled_amount)} / {formatAmount(order.trade_amount)} {base}
          </span>
        </span>
        {isOpen(order) && percent > 0 && (
          <span className={css.track} aria-hidden="true">
            <i style={{ transform: `scaleX(${percent / 100})` }} data-buy={buy || undefined} />
          </span>
        )}
      </button>
      {isOpen(order) ? (
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
      ) : (
        <span className={css.status}>
          <Badge tone={order.status === 2 ? 'up' : 'neutral'}>{t(`status.${STATUS_NAMES[order.status]}`)}</Badge>
        </span>
      )}
    </article>
  );
});

import { Link2 } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Button } from '@/components/ui';
import { formatAmount } from '@/lib/format';
import { isOpen, type OrderRow } from '@/lib/market';
import css from './OrderGroup.module.css';
import { OrderRowCard } from './OrderRowCard';
import { cancelWord, listWord } from './orderFigures';

interface Props {
  /** One order, or those of a list. */
  orders: readonly OrderRow[];
  onOpen(order: OrderRow): void;
  onCancel(order: OrderRow): void;
  running: ReadonlySet<number>;
}

/** An order by itself, or those of a list as one: they are cancelled together. */
export function OrderGroup({ orders, onOpen, onCancel, running }: Props) {
  const { t } = useTranslation('trade');
  const open = orders.filter(isOpen);
  const [first] = open;
  const together = open.length > 1;
  const cards = orders.map((order) => (
    <OrderRowCard
      key={order.id}
      order={order}
      onOpen={onOpen}
      onCancel={together ? undefined : onCancel}
      cancelling={running.has(order.id)}
    />
  ));
  const [either] = orders;
  if (!either?.list_id || orders.length === 1) return cards;
  const order = t('orders.label', {
    side: t(either.type === 1 ? 'ticket.buy' : 'ticket.sell'),
    amount: formatAmount(either.trade_amount),
    pair: either.symbol,
  });
  return (
    // biome-ignore lint/a11y/useSemanticElements: a group of cards, not of form fields; two lists may have the same name
    <div role="group" className={css.group} aria-label={t('orders.group', { order })}>
      <header className={css.head}>
        <Link2 size={14} aria-hidden="true" />
        <p className={css.name}>{t(`orders.${listWord(open)}`)}</p>
        {together && first && (
          <Button
            tone="secondary"
            size="s"
            loading={open.some(({ id }) => running.has(id))}
            throttleMs={1000}
            onClick={() => onCancel(first)}
          >
            {t(`orders.${cancelWord(open.length)}`)}
          </Button>
        )}
      </header>
      {cards}
    </div>
  );
}

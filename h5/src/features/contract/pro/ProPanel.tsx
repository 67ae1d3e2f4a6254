/** What lies below the form: own positions and open orders in a contract's book, and its funding. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Badge, Button, Empty } from '@/components/ui';
import { formatAmount, formatMoment, formatPrice } from '@/lib/format';
import { bookSymbol } from '@/lib/market';
import { goToLogin } from '@/lib/navigation';
import { useToken } from '@/lib/session';
import { ListsPanel, TradesPanel, triggerText } from '@/trading';
import { type BookOrder, type BookRules, type Position, type usePositions, useProCommands } from '../api/book';
import { useOpenContracts } from '../gate';
import type { Pair } from '../rules';
import { closingFields } from './draft';
import { FundingTab } from './FundingTab';
import { MarginSheet } from './MarginSheet';
import { OrderSheet } from './OrderSheet';
import { PositionCard } from './PositionCard';
import { PositionStopsSheet } from './PositionStopsSheet';
import css from './Pro.module.css';

type Tab = 'positions' | 'orders' | 'funding' | 'trades';

interface Props {
  pair: Pair;
  rules: BookRules;
  positions: readonly Position[];
  balance: ReturnType<typeof usePositions>['balances'][number] | undefined;
  orders: readonly BookOrder[];
  /** The contract's trades are a tab here. */
  trades: boolean;
}

export function ProPanel({ pair, rules, positions, balance, orders, trades }: Props) {
  const { t } = useTranslation(['contract', 'trade']);
  const token = useToken();
  const [tab, setTab] = useState<Tab>('positions');
  const [closing, setClosing] = useState<Position | undefined>();
  const [margin, setMargin] = useState<Position | undefined>();
  const [stops, setStops] = useState<Position['position_side'] | undefined>();
  const live = useOpenContracts()(rules.symbol);
  // As it is now; one that has ended meanwhile closes what asks about it.
  const stopped = positions.find(({ position_side }) => position_side === stops);
  if (stops && !stopped) setStops(undefined);
  const items: { value: Tab; label: string }[] = [
    { value: 'positions', label: `${t('tickets.positions')} (${positions.length})` },
    { value: 'orders', label: `${t('pro.orders')} (${orders.length})` },
    { value: 'funding', label: t('pro.funding') },
    ...(trades ? [{ value: 'trades' as const, label: t('trade:trades.title') }] : []),
  ];
  const own = tab === 'positions' || tab === 'orders';
  return (
    <ListsPanel<Tab> id="book-lists" label={t('tickets.which')} value={tab} onChange={setTab} items={items}>
      {own && !token && <Empty title={t('tickets.guest')} action={{ label: t('form.login'), onClick: goToLogin }} />}
      {token && tab === 'positions' && positions.length === 0 && (
        <Empty title={t('tickets.none')} note={t('pro.noneNote')} />
      )}
      {token &&
        tab === 'positions' &&
        positions.map((position) => (
          <PositionCard
            key={`${position.match_id} ${position.position_side}`}
            position={position}
            rules={rules}
            orders={orders}
            live={live}
            onMargin={setMargin}
            onStops={({ position_side }) => setStops(position_side)}
            onClose={setClosing}
          />
        ))}
      {token && tab === 'orders' && <Orders pair={pair} rules={rules} orders={orders} />}
      {tab === 'funding' && <FundingTab pair={pair} rules={rules} />}
      {tab === 'trades' && (
        <TradesPanel
          symbol={bookSymbol(rules.symbol)}
          priceDecimals={rules.priceDecimals}
          amountDecimals={rules.amountDecimals}
        />
      )}
      <MarginSheet
        position={margin}
        rules={rules}
        available={balance?.available}
        onClose={() => setMargin(undefined)}
      />
      <PositionStopsSheet
        position={stopped}
        rules={rules}
        orders={orders}
        live={live}
        onClose={() => setStops(undefined)}
      />
      <OrderSheet
        open={closing !== undefined}
        rules={rules}
        fields={closing && closingFields(closing)}
        live={live}
        onClose={() => setClosing(undefined)}
        onSent={() => setClosing(undefined)}
      />
    </ListsPanel>
  );
}

function Orders({ pair, rules, orders }: Pick<Props, 'pair' | 'rules' | 'orders'>) {
  const { t } = useTranslation(['contract', 'trade']);
  const { busy, cancel, cancelAll } = useProCommands();
  if (orders.length === 0) return <Empty title={t('pro.noOrders')} note={t('pro.noOrdersNote')} />;
  const amount = (value: string) => `${formatAmount(value)} ${rules.base}`;
  return (
    <>
      {orders.length > 1 && (
        <div className={css.tools}>
          <Button tone="secondary" size="s" loading={busy} onClick={() => void cancelAll(pair)}>
            {t('pro.cancelAll')}
          </Button>
        </div>
      )}
      {orders.map((order) => {
        const side = t(order.type === 1 ? 'pro.buy' : 'pro.sell');
        const price =
          order.order_type === 'market'
            ? t('trade:ticket.market')
            : formatPrice(order.target_price, rules.priceDecimals);
        const when = triggerText(order);
        const size = order.close_position ? t('pro.wholePosition') : amount(order.amount);
        return (
          <article key={order.id} className={css.order} aria-label={`${side} ${size}, ${price}`}>
            <header className={css.top}>
              <span className={order.type === 1 ? css.buy : css.sell}>{side}</span>
              {order.order_type === 'limit' && <Badge>{t(`pro.${order.tif}`)}</Badge>}
              {order.reduce_only && <Badge>{t('pro.reduceOnly')}</Badge>}
              <time>{formatMoment(order.time_ms)}</time>
            </header>
            {order.waiting && when && (
              <p className={css.when}>
                {t(`trade:order.when.${when.key}`, {
                  price: formatPrice(when.price, rules.priceDecimals),
                  percent: formatAmount(when.percent),
                })}
                {` · ${t(order.trigger_by === 'mark' ? 'pro.line.mark' : 'pro.last')}`}
              </p>
            )}
            <div className={css.facts}>
              <dl>
                <div>
                  <dt>{t('pro.price')}</dt>
                  <dd className="num">{price}</dd>
                </div>
                <div>
                  <dt>{t(order.close_position ? 'ticket.size' : 'pro.filled')}</dt>
                  <dd className="num">
                    {order.close_position ? size : `${formatAmount(order.filled_amount)} / ${size}`}
                  </dd>
                </div>
              </dl>
              <Button tone="secondary" size="s" throttleMs={1000} onClick={() => void cancel(order.id)}>
                {t('ticket.cancel')}
              </Button>
            </div>
          </article>
        );
      })}
    </>
  );
}

/** What lies below the form: own positions and open orders in a contract's book, and its funding. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Badge, Button, Empty } from '@/components/ui';
import { formatAmount, formatMoment, formatPrice } from '@/lib/format';
import { bookSymbol } from '@/lib/market';
import { goToLogin } from '@/lib/navigation';
import { useToken } from '@/lib/session';
import { useAtom } from '@/lib/state';
import { ListsPanel, ListTools, TradesPanel, triggerText } from '@/trading';
import { type BookOrder, type BookRules, type Position, type usePositions, useProCommands } from '../api/book';
import { everyPairAtom } from '../everywhere';
import { useOpenContracts } from '../gate';
import type { Pair } from '../rules';
import { CloseBookSheet } from './CloseBookSheet';
import { FundingTab } from './FundingTab';
import { OtherPositions, Positions } from './Positions';
import css from './Pro.module.css';

type Tab = 'positions' | 'orders' | 'funding' | 'trades';

interface Props {
  pair: Pair;
  rules: BookRules;
  /** Of all contracts. */
  positions: readonly Position[];
  balances: ReturnType<typeof usePositions>['balances'];
  orders: readonly BookOrder[];
  /** The contract's trades are a tab here. */
  trades: boolean;
}

/** The shown contract's positions first, then those of others by contract. */
function byContract(positions: readonly Position[], shown: string): Position[][] {
  const contracts = new Map<string, Position[]>([[shown, []]]);
  for (const position of positions) {
    const rows = contracts.get(position.symbol) ?? [];
    contracts.set(position.symbol, rows);
    rows.push(position);
  }
  return [...contracts.values()];
}

export function ProPanel({ pair, rules, positions, balances, orders, trades }: Props) {
  const { t } = useTranslation(['contract', 'trade']);
  const token = useToken();
  const [tab, setTab] = useState<Tab>('positions');
  const [everywhere, setEverywhere] = useAtom(everyPairAtom);
  const [closing, setClosing] = useState(false);
  const isOpen = useOpenContracts();
  const listed = everywhere ? positions : positions.filter(({ symbol }) => symbol === rules.symbol);
  const closable = listed.filter(({ symbol }) => isOpen(symbol));
  const [own = [], ...others] = byContract(listed, rules.symbol);
  const items: { value: Tab; label: string }[] = [
    { value: 'positions', label: `${t('tickets.positions')} (${listed.length})` },
    { value: 'orders', label: `${t('pro.orders')} (${orders.length})` },
    { value: 'funding', label: t('pro.funding') },
    ...(trades ? [{ value: 'trades' as const, label: t('trade:trades.title') }] : []),
  ];
  const guest = !token && (tab === 'positions' || tab === 'orders');
  return (
    <ListsPanel<Tab> id="book-lists" label={t('tickets.which')} value={tab} onChange={setTab} items={items}>
      {guest && <Empty title={t('tickets.guest')} action={{ label: t('form.login'), onClick: goToLogin }} />}
      {token && tab === 'positions' && (
        <>
          <ListTools
            everywhere={{ label: t('tickets.everyPair'), checked: everywhere, onChange: setEverywhere }}
            action={
              listed.length > 0
                ? { label: t('tickets.closeAll'), disabled: closable.length === 0, onClick: () => setClosing(true) }
                : undefined
            }
          />
          {listed.length === 0 && <Empty title={t('tickets.none')} note={t('pro.noneNote')} />}
          <Positions rules={rules} positions={own} balances={balances} orders={orders} />
          {others.map(
            (rows) =>
              rows[0] && <OtherPositions key={rows[0].match_id} first={rows[0]} positions={rows} balances={balances} />,
          )}
        </>
      )}
      {token && tab === 'orders' && <Orders pair={pair} rules={rules} orders={orders} />}
      {tab === 'funding' && <FundingTab pair={pair} rules={rules} />}
      {tab === 'trades' && (
        <TradesPanel
          symbol={bookSymbol(rules.symbol)}
          priceDecimals={rules.priceDecimals}
          amountDecimals={rules.amountDecimals}
        />
      )}
      <CloseBookSheet
        open={closing && closable.length > 0}
        rules={rules}
        pair={everywhere ? undefined : pair}
        positions={closable}
        onClose={() => setClosing(false)}
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
              {order.trigger && (
                <Badge>{t(order.trigger === 'take_profit' ? 'ticket.takeProfit' : 'ticket.stopLoss')}</Badge>
              )}
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

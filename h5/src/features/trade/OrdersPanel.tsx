import { useQueryClient } from '@tanstack/react-query';
import { memo, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmDialog, Empty, ErrorState, SkeletonRows } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { formatAmount } from '@/lib/format';
import { type OrderRow, usePrivateEvents } from '@/lib/market';
import { goToLogin, navigateTo } from '@/lib/navigation';
import { useToken } from '@/lib/session';
import { useAtom, viewAtom } from '@/lib/state';
import { unitName } from '@/lib/stocks';
import { toast } from '@/lib/toast';
import { byList, FillItem, ListsPanel, ListTools, OrderGroup, type PairRules, TradesPanel } from '@/trading';
import { cancelAllOrders, useOpenOrders, useRecentFills } from './api/account';
import css from './OrdersPanel.module.css';
import { SpotOrderSheet } from './SpotOrderSheet';
import { useCancel } from './useCancel';

/** Open orders of all pairs instead of the shown one's. */
const everyPairAtom = viewAtom(false);

type Tab = 'open' | 'fills' | 'trades';

interface Props {
  rules: PairRules;
  /** Everybody's trades are a tab here: they have no place of their own on the screen. */
  trades: boolean;
}

/** What lies below book and ticket: own open orders, own fills, everybody's trades. */
export const OrdersPanel = memo(function OrdersPanel({ rules, trades }: Props) {
  const { t } = useTranslation('trade');
  const token = useToken();
  const [chosen, setTab] = useState<Tab>('open');
  const tab = chosen === 'trades' && !trades ? 'open' : chosen;
  const [everywhere, setEverywhere] = useAtom(everyPairAtom);
  const { orders, loading, error, retry } = useOpenOrders();
  const shown = useMemo(
    () => (everywhere ? orders : orders.filter(({ symbol }) => symbol === rules.symbol)),
    [everywhere, orders, rules.symbol],
  );
  useFillToasts();
  return (
    <ListsPanel<Tab>
      id="trade-lists"
      label={t('orders.open')}
      value={tab}
      onChange={setTab}
      items={[
        { value: 'open', label: `${t('orders.open')} (${shown.length})` },
        { value: 'fills', label: t('orders.fills') },
        ...(trades ? [{ value: 'trades' as const, label: t('trades.title') }] : []),
      ]}
      all={{ label: t('orders.all'), onOpen: () => navigateTo(PATHS.currencyOrder) }}
    >
      {tab === 'trades' && (
        <TradesPanel symbol={rules.symbol} priceDecimals={rules.priceDecimals} amountDecimals={rules.amountDecimals} />
      )}
      {tab !== 'trades' && !token && (
        <Empty title={t('orders.guest')} action={{ label: t('ticket.login'), onClick: goToLogin }} />
      )}
      {tab === 'open' && token && (
        <OpenOrders
          orders={shown}
          rules={rules}
          loading={loading}
          error={error}
          retry={retry}
          everywhere={everywhere}
          onEverywhere={setEverywhere}
        />
      )}
      {tab === 'fills' && token && <RecentFills rules={rules} />}
    </ListsPanel>
  );
});

/** Tells of fills the moment they happen, also while another list is open. */
function useFillToasts(): void {
  const { t } = useTranslation('trade');
  usePrivateEvents((event) => {
    if (event.event !== 'coin_order' || !event.fill) return;
    const [asset = ''] = event.order.symbol.split('/');
    toast.success(
      t('orders.filled', {
        side: t(event.order.type === 1 ? 'ticket.buy' : 'ticket.sell'),
        amount: formatAmount(event.fill.amount),
        asset: unitName(asset),
        price: formatAmount(event.fill.price),
      }),
    );
  });
}

interface OpenProps {
  orders: readonly OrderRow[];
  rules: PairRules;
  loading: boolean;
  error: unknown;
  retry(): void;
  everywhere: boolean;
  onEverywhere(everywhere: boolean): void;
}

function OpenOrders({ orders, rules, loading, error, retry, everywhere, onEverywhere }: OpenProps) {
  const { t } = useTranslation('trade');
  const client = useQueryClient();
  const { cancel, running } = useCancel();
  const [opened, setOpened] = useState<OrderRow>();
  const [confirming, setConfirming] = useState(false);
  const [cancelling, setCancelling] = useState(false);

  async function cancelAll() {
    setCancelling(true);
    const reply = await cancelAllOrders(
      everywhere ? undefined : { currency_id: rules.currencyId, legal_id: rules.legalId },
    );
    setCancelling(false);
    setConfirming(false);
    if (reply.ok) toast.success(t('orders.cancelledAll'));
    void client.invalidateQueries({ queryKey: ['trade'] });
  }

  return (
    <>
      <ListTools
        everywhere={{ label: t('orders.allPairs'), checked: everywhere, onChange: onEverywhere }}
        action={orders.length > 1 ? { label: t('orders.cancelAll'), onClick: () => setConfirming(true) } : undefined}
      />
      {Boolean(error) && <ErrorState compact error={error} onRetry={retry} />}
      {loading ? (
        <SkeletonRows rows={3} icon={false} />
      ) : orders.length === 0 ? (
        <Empty title={t('orders.none')} note={t('orders.noneNote')} />
      ) : (
        <ul aria-label={t('orders.open')}>
          {byList(orders).map((group) => (
            <li key={group[0]?.list_id || group[0]?.id}>
              <OrderGroup orders={group} onOpen={setOpened} onCancel={(row) => void cancel(row)} running={running} />
            </li>
          ))}
        </ul>
      )}
      <SpotOrderSheet
        order={opened}
        onClose={() => setOpened(undefined)}
        onCancel={(order) => void cancel(order)}
        cancelling={opened !== undefined && running.has(opened.id)}
      />
      <ConfirmDialog
        open={confirming}
        tone="danger"
        title={t('orders.cancelAllTitle')}
        confirmText={t('orders.cancelAll')}
        cancelText={t('orders.keep')}
        loading={cancelling}
        onConfirm={() => void cancelAll()}
        onClose={() => setConfirming(false)}
      >
        {everywhere ? t('orders.cancelAllEverywhere') : t('orders.cancelAllText', { pair: rules.symbol })}
      </ConfirmDialog>
    </>
  );
}

function RecentFills({ rules }: { rules: PairRules }) {
  const { t } = useTranslation('trade');
  const { data, error, refetch, isPending } = useRecentFills(rules.currencyId, rules.legalId);
  if (isPending && !error) return <SkeletonRows rows={3} icon={false} />;
  return (
    <>
      {error && <ErrorState compact error={error} onRetry={() => void refetch()} />}
      {data?.length === 0 && <Empty title={t('orders.noFills')} />}
      <ul className={css.fills} aria-label={t('orders.fills')}>
        {data?.map((fill) => (
          <FillItem
            key={fill.id}
            fill={fill}
            left={
              <span className={fill.type === 1 ? css.buy : css.sell}>
                {t(fill.type === 1 ? 'ticket.buy' : 'ticket.sell')} {formatAmount(fill.amount)} {rules.base}
              </span>
            }
            right={formatAmount(fill.price)}
          />
        ))}
      </ul>
    </>
  );
}

/** All spot orders (docs/rules/spot.md "Order states"). */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { Empty, InfiniteList, NavBar, PullRefresh, Select, SkeletonRows, Tabs } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { freshest, isOpen, type OrderRow, STATUS_NAMES, useAccount, usePrivateEvents } from '@/lib/market';
import { navigateTo } from '@/lib/navigation';
import { byList, OrderGroup } from '@/trading';
import { useOrderDetail } from './api/account';
import { useOrderHistory } from './api/history';
import css from './CurrencyOrderPage.module.css';
import { SpotOrderSheet } from './SpotOrderSheet';
import { useCancel } from './useCancel';

type SideFilter = 'all' | 'buy' | 'sell';

const STATUSES = [1, 4, 2, 3] as const;
const TYPES: Record<SideFilter, 1 | 2 | undefined> = { all: undefined, buy: 1, sell: 2 };

export default function CurrencyOrderPage() {
  const { t } = useTranslation('trade');
  const account = useAccount();
  const [side, setSide] = useState<SideFilter>('all');
  const [status, setStatus] = useState<0 | OrderRow['status']>(0);
  const [opened, setOpened] = useState<OrderRow>();
  // A record leads here with its order's number; whoever closes that order has the list.
  const [params, setParams] = useSearchParams();
  const named = useOrderDetail(Number(params.get('id')) || undefined).data;
  const { cancel, running } = useCancel();
  const list = useOrderHistory({ type: TYPES[side], status: status || undefined });
  const { refetch } = list;
  const shown = opened ?? named;
  usePrivateEvents((event) => {
    // A row that is still open is told by the events themselves; one that ended has left them.
    if (event.event === 'coin_order' && !isOpen(event.order)) void refetch();
  });
  return (
    <>
      <NavBar title={t('history.title')} />
      <div className={css.filters}>
        <Tabs<SideFilter>
          label={t('history.side')}
          controls="orders"
          value={side}
          onChange={setSide}
          items={[
            { value: 'all', label: t('history.allSides') },
            { value: 'buy', label: t('ticket.buy') },
            { value: 'sell', label: t('ticket.sell') },
          ]}
        />
        <Select<0 | OrderRow['status']>
          look="inline"
          hideLabel
          className={css.status ?? ''}
          label={t('history.status')}
          value={status}
          onChange={setStatus}
          options={[
            { value: 0, label: t('history.anyStatus') },
            ...STATUSES.map((value) => ({ value, label: t(`status.${STATUS_NAMES[value]}`) })),
          ]}
        />
      </div>
      <div id="orders">
        <PullRefresh onRefresh={list.refetch}>
          <InfiniteList
            label={t('history.title')}
            rows={list.rows && byList(list.rows)}
            rowKey={(group) => group[0]?.list_id || (group[0]?.id ?? 0)}
            renderRow={(group) => (
              <OrderGroup
                orders={group.map((order) => freshest(account, order))}
                onOpen={setOpened}
                onCancel={(row) => void cancel(row)}
                running={running}
              />
            )}
            error={list.error}
            loading={list.loading}
            loadingMore={list.loadingMore}
            hasMore={list.hasMore}
            onMore={list.onMore}
            onRetry={list.onRetry}
            skeleton={<SkeletonRows rows={8} icon={false} />}
            empty={
              <Empty
                title={t('history.none')}
                note={t('history.noneNote')}
                action={{ label: t('history.trade'), onClick: () => navigateTo(PATHS.currency) }}
              />
            }
          />
        </PullRefresh>
      </div>
      <SpotOrderSheet
        order={shown}
        onClose={() => {
          setOpened(undefined);
          if (named) setParams({}, { replace: true });
        }}
        onCancel={(order) => void cancel(order)}
        cancelling={shown !== undefined && running.has(shown.id)}
      />
    </>
  );
}

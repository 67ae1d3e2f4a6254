/** All options: those that run, and what became of the others. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { Empty, InfiniteList, NavBar, PullRefresh, SkeletonRows, Tabs } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { useQuotes } from '@/lib/api/quotes';
import { navigateTo } from '@/lib/navigation';
import { type Option, useOptions, type Which } from './api/options';
import { OptionRow } from './OptionRow';
import { OptionSheet } from './OptionSheet';
import css from './SecondsOrderPage.module.css';
import { useEndedToasts } from './useEndedToasts';

const TABS = { open: 1, history: 3, all: -1 } as const satisfies Record<string, Which>;
type Tab = keyof typeof TABS;

export default function SecondsOrderPage() {
  const { t } = useTranslation('seconds');
  const [params] = useSearchParams();
  const { data: quotes } = useQuotes();
  const match = Number(params.get('match_id')) || undefined;
  const pair = quotes?.find(({ id }) => id === match)?.symbol;
  const [tab, setTab] = useState<Tab>('open');
  const [chosen, setChosen] = useState<Option>();
  const [opened, setOpened] = useState(false);
  useEndedToasts(opened ? chosen?.id : undefined);
  return (
    <>
      <NavBar title={pair ? `${pair} ${t('title')}` : t('title')} />
      <Tabs<Tab>
        label={t('list.which')}
        controls="options"
        className={css.tabs}
        value={tab}
        onChange={setTab}
        items={(['open', 'history', 'all'] as const).map((value) => ({ value, label: t(`list.${value}`) }))}
      />
      <div id="options" role="tabpanel" aria-label={t(`list.${tab}`)}>
        <Rows
          key={tab}
          tab={tab}
          match={match}
          onOpen={(option) => {
            setChosen(option);
            setOpened(true);
          }}
        />
      </div>
      <OptionSheet id={opened ? chosen?.id : undefined} listed={chosen} onClose={() => setOpened(false)} />
    </>
  );
}

interface RowsProps {
  tab: Tab;
  match: number | undefined;
  onOpen(option: Option): void;
}

function Rows({ tab, match, onOpen }: RowsProps) {
  const { t } = useTranslation('seconds');
  const list = useOptions(TABS[tab], match);
  const trade = { label: t('toTrade'), onClick: () => navigateTo(PATHS.options) };
  return (
    <PullRefresh onRefresh={list.refetch}>
      <InfiniteList
        label={t(`list.${tab}`)}
        rows={list.rows}
        rowKey={(option) => option.id}
        renderRow={(option) => <OptionRow option={option} onOpen={onOpen} />}
        error={list.error}
        loading={list.loading}
        loadingMore={list.loadingMore}
        hasMore={list.hasMore}
        onMore={list.onMore}
        onRetry={list.onRetry}
        skeleton={<SkeletonRows rows={6} icon={false} />}
        empty={
          tab === 'open' ? (
            <Empty title={t('list.none')} note={t('list.noneNote')} action={trade} />
          ) : (
            <Empty title={t('list.noHistory')} note={t('list.noHistoryNote')} action={trade} />
          )
        }
      />
    </PullRefresh>
  );
}

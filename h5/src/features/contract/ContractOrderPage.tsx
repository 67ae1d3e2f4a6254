/** All positions, limit orders and what became of them (docs/rules/app-calls.md "Contracts"). */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { Button, Empty, InfiniteList, NavBar, PullRefresh, Select, SkeletonRows, Tabs } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { isCopy, useTraderNames } from '@/lib/api/copies';
import { useQuotes } from '@/lib/api/quotes';
import { navigateTo } from '@/lib/navigation';
import { appStore } from '@/lib/state';
import { useCopyEvents } from '@/trading';
import { AliveTickets } from './AliveTickets';
import { usePositions } from './api/book';
import { type Ticket, type Tickets, useTicketHistory, useTickets } from './api/tickets';
import { CloseAllSheet } from './CloseSheets';
import css from './ContractOrderPage.module.css';
import { everyPairAtom } from './everywhere';
import { useOpenContracts } from './gate';
import { closeRow, profitsOf } from './held';
import { RiskSummary } from './RiskSummary';
import { TicketCard } from './TicketCard';
import { useEndedToasts } from './useEndedToasts';
import { useManage } from './useManage';

type Tab = 'positions' | 'pending' | 'history';

/** The contract that the address names; all of them without one. */
function usePair() {
  const [params] = useSearchParams();
  const { data } = useQuotes();
  const [currency, legal] = [Number(params.get('currency_id')), Number(params.get('legal_id'))];
  if (!(currency > 0)) return undefined;
  const quote = data?.find((row) => row.currency_id === currency && (legal === 0 || row.legal_id === legal));
  return { currency_id: currency, legal_id: legal || (quote?.legal_id ?? 3), symbol: quote?.symbol };
}

export default function ContractOrderPage() {
  const { t } = useTranslation('contract');
  const pair = usePair();
  const tickets = useTickets();
  const isOpen = useOpenContracts();
  const { busy, closeAll } = useManage();
  const [tab, setTab] = useState<Tab>('positions');
  const [closing, setClosing] = useState(false);
  useEndedToasts();
  useCopyEvents();
  const ofPair = (rows: Tickets['open']) =>
    pair ? rows.filter((row) => row.currency_id === pair.currency_id && row.legal_id === pair.legal_id) : rows;
  const [open, waiting] = [ofPair(tickets.open), ofPair(tickets.waiting)];
  // A copy closes with its trader's.
  const own = open.filter((ticket) => !isCopy(ticket));
  const asset = open[0]?.symbol.split('/')[1] ?? 'USDT';
  const held = usePositions().positions;
  const books = pair ? held.filter(({ symbol }) => symbol === pair.symbol) : held;
  const [inBooks, first] = [books.length, books[0]];
  const trade = { label: t('toTrade'), onClick: () => navigateTo(PATHS.contract) };
  return (
    <>
      <NavBar title={pair?.symbol ? `${pair.symbol} ${t('title')}` : t('tickets.positions')} />
      <div className={css.sticky}>
        <div className={css.summary}>
          <div className={css.risk}>
            <RiskSummary riskRate={tickets.riskRate} profits={profitsOf(open)} asset={asset} />
          </div>
          <Button
            tone="secondary"
            size="s"
            className={css.closeAll}
            disabled={!own.some(({ symbol }) => isOpen(symbol))}
            onClick={() => setClosing(true)}
          >
            {t('tickets.closeAll')}
          </Button>
        </div>
        <Tabs<Tab>
          label={t('tickets.which')}
          controls="contract-tickets"
          value={tab}
          onChange={setTab}
          items={[
            { value: 'positions', label: `${t('tickets.positions')} (${open.length})` },
            { value: 'pending', label: `${t('tickets.pending')} (${waiting.length})` },
            { value: 'history', label: t('tickets.history') },
          ]}
        />
      </div>
      <div id="contract-tickets">
        {tab === 'positions' && (
          <AliveTickets
            key="positions"
            label={t('tickets.positions')}
            tickets={open}
            state={tickets}
            empty={inBooks > 0 ? null : <Empty title={t('tickets.none')} note={t('tickets.noneNote')} action={trade} />}
          />
        )}
        {tab === 'positions' && first && (
          <div className={css.books}>
            <Button tone="secondary" block onClick={() => toBooks(first.symbol)}>
              {t('tickets.inBooks', { number: inBooks })}
            </Button>
          </div>
        )}
        {tab === 'pending' && (
          <AliveTickets
            key="pending"
            label={t('tickets.pending')}
            tickets={waiting}
            state={tickets}
            empty={<Empty title={t('tickets.noPending')} note={t('tickets.noPendingNote')} action={trade} />}
          />
        )}
        {tab === 'history' && <History pair={pair} />}
      </div>
      <CloseAllSheet
        open={closing}
        rows={own.map(closeRow)}
        asset={asset}
        note={pair?.symbol ? t('close.allOf', { pair: pair.symbol }) : t('close.allEverywhere')}
        busy={busy}
        onClose={() => setClosing(false)}
        onChoose={async (type) => {
          await closeAll({ type, ...(pair && { currency_id: pair.currency_id, legal_id: pair.legal_id }) });
          setClosing(false);
        }}
      />
    </>
  );
}

/** Positions of books are listed where they are traded. */
function toBooks(symbol: string): void {
  appStore.set(everyPairAtom, true);
  navigateTo(PATHS.contract, { symbol, view: 'pro' });
}

const NONE: readonly Ticket[] = [];

function History({ pair }: { pair: ReturnType<typeof usePair> }) {
  const { t } = useTranslation('contract');
  const [status, setStatus] = useState<3 | 4>(3);
  const named = pair && { currency_id: pair.currency_id, legal_id: pair.legal_id };
  const list = useTicketHistory(status, named);
  const traderOf = useTraderNames(list.rows ?? NONE);
  return (
    <>
      <div className={css.filter}>
        <Select<3 | 4>
          look="inline"
          hideLabel
          label={t('tickets.which')}
          value={status}
          onChange={setStatus}
          options={[
            { value: 3, label: t('tickets.closed') },
            { value: 4, label: t('tickets.cancelled') },
          ]}
        />
      </div>
      <PullRefresh onRefresh={list.refetch}>
        <InfiniteList
          label={t('tickets.history')}
          rows={list.rows}
          rowKey={(ticket) => ticket.id}
          renderRow={(ticket) => <TicketCard ticket={ticket} live={false} trader={traderOf(ticket)} />}
          error={list.error}
          loading={list.loading}
          loadingMore={list.loadingMore}
          hasMore={list.hasMore}
          onMore={list.onMore}
          onRetry={list.onRetry}
          skeleton={<SkeletonRows rows={6} icon={false} />}
          empty={<Empty title={t('tickets.noHistory')} note={t('tickets.noHistoryNote')} />}
        />
      </PullRefresh>
    </>
  );
}

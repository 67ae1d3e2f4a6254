import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Empty } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { isCopy } from '@/lib/api/copies';
import { goToLogin, navigateTo } from '@/lib/navigation';
import { useToken } from '@/lib/session';
import { useAtom } from '@/lib/state';
import { ListsPanel, ListTools } from '@/trading';
import { AliveTickets } from './AliveTickets';
import type { Tickets } from './api/tickets';
import { CloseAllSheet } from './CloseSheets';
import { everyPairAtom } from './everywhere';
import { useOpenContracts } from './gate';
import { closeRow, profitsOf } from './held';
import { RiskSummary } from './RiskSummary';
import type { ContractRules } from './rules';
import { useManage } from './useManage';

type Tab = 'positions' | 'pending';

interface Props {
  rules: ContractRules;
  tickets: Tickets;
}

/** What lies below the ticket: own positions and limit orders. */
export function TicketsPanel({ rules, tickets }: Props) {
  const { t } = useTranslation('contract');
  const token = useToken();
  const [tab, setTab] = useState<Tab>('positions');
  const [everywhere, setEverywhere] = useAtom(everyPairAtom);
  const [closing, setClosing] = useState(false);
  const { busy, closeAll } = useManage();
  const isOpen = useOpenContracts();
  const ofPair = (rows: Tickets['open']) => (everywhere ? rows : rows.filter(({ symbol }) => symbol === rules.symbol));
  const [open, waiting] = [ofPair(tickets.open), ofPair(tickets.waiting)];
  // A copy closes with its trader's.
  const own = open.filter((ticket) => !isCopy(ticket));
  const pair = { currency_id: rules.currencyId, legal_id: rules.legalId };
  return (
    <ListsPanel<Tab>
      id="ticket-lists"
      label={t('tickets.positions')}
      value={tab}
      onChange={setTab}
      items={[
        { value: 'positions', label: `${t('tickets.positions')} (${open.length})` },
        { value: 'pending', label: `${t('tickets.pending')} (${waiting.length})` },
      ]}
      all={{ label: t('tickets.all'), onOpen: () => navigateTo(PATHS.contractOrder) }}
    >
      {!token && <Empty title={t('tickets.guest')} action={{ label: t('form.login'), onClick: goToLogin }} />}
      {token && (
        <>
          {tickets.open.length > 0 && (
            <RiskSummary riskRate={tickets.riskRate} profits={profitsOf(tickets.open)} asset={rules.settle} />
          )}
          <ListTools
            everywhere={{ label: t('tickets.everyPair'), checked: everywhere, onChange: setEverywhere }}
            action={
              tab === 'positions' && own.length > 0
                ? {
                    label: t('tickets.closeAll'),
                    disabled: !own.some(({ symbol }) => isOpen(symbol)),
                    onClick: () => setClosing(true),
                  }
                : undefined
            }
          />
          {tab === 'positions' ? (
            <AliveTickets
              key="positions"
              label={t('tickets.positions')}
              tickets={open}
              state={tickets}
              empty={<Empty title={t('tickets.none')} note={t('tickets.noneNote')} />}
            />
          ) : (
            <AliveTickets
              key="pending"
              label={t('tickets.pending')}
              tickets={waiting}
              state={tickets}
              empty={<Empty title={t('tickets.noPending')} note={t('tickets.noPendingNote')} />}
            />
          )}
          <CloseAllSheet
            open={closing}
            rows={own.map(closeRow)}
            asset={rules.settle}
            note={everywhere ? t('close.allEverywhere') : t('close.allOf', { pair: rules.symbol })}
            busy={busy}
            onClose={() => setClosing(false)}
            onChoose={async (type) => {
              await closeAll({ type, ...(everywhere ? {} : pair) });
              setClosing(false);
            }}
          />
        </>
      )}
    </ListsPanel>
  );
}

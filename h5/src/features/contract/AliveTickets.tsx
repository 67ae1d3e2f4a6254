import type { ReactNode } from 'react';
import { useCallback, useState } from 'react';
import { ErrorState, SkeletonRows } from '@/components/ui';
import { isCopy, useSelfHolding, useTraderNames } from '@/lib/api/copies';
import { SelfHoldDialog } from '@/trading';
import type { Ticket, Tickets } from './api/tickets';
import { CloseDialog } from './CloseSheets';
import { useOpenContracts } from './gate';
import { StopsSheet } from './StopsSheet';
import { TicketCard } from './TicketCard';
import { useManage } from './useManage';

interface Props {
  label: string;
  tickets: readonly Ticket[];
  /** What the lists say of themselves. */
  state: Pick<Tickets, 'loading' | 'error' | 'retry'>;
  empty: ReactNode;
}

interface Asked {
  what: 'stops' | 'close' | 'hold';
  id: number;
}

/** Tickets that are open or wait, and what can be done to each of them. */
export function AliveTickets({ label, tickets, state, empty }: Props) {
  const isOpen = useOpenContracts();
  const { running, busy, close, cancel, setStops } = useManage();
  const [asked, setAsked] = useState<Asked>();
  const holding = useSelfHolding();
  const traderOf = useTraderNames(tickets);
  const askStops = useCallback((ticket: Ticket) => setAsked({ what: 'stops', id: ticket.id }), []);
  const askEnd = useCallback(
    (ticket: Ticket) => {
      if (ticket.status === 0) void cancel(ticket.id);
      else setAsked({ what: isCopy(ticket) ? 'hold' : 'close', id: ticket.id });
    },
    [cancel],
  );
  // As it is worth now; one that has ended meanwhile closes what asks about it.
  const shown = (what: Asked['what']) => (asked?.what === what ? tickets.find(({ id }) => id === asked.id) : undefined);
  const [stopping, closing, held] = [shown('stops'), shown('close'), shown('hold')];
  const leave = () => setAsked(undefined);
  if (state.loading) return <SkeletonRows rows={3} icon={false} />;
  return (
    <>
      {Boolean(state.error) && <ErrorState compact error={state.error} onRetry={state.retry} />}
      {tickets.length === 0 && empty}
      <ul aria-label={label}>
        {tickets.map((ticket) => (
          <li key={ticket.id}>
            <TicketCard
              ticket={ticket}
              live={isOpen(ticket.symbol)}
              busy={running.has(ticket.id)}
              trader={traderOf(ticket)}
              onStops={askStops}
              onEnd={askEnd}
            />
          </li>
        ))}
      </ul>
      <StopsSheet
        ticket={stopping}
        live={stopping !== undefined && isOpen(stopping.symbol)}
        busy={busy}
        onClose={leave}
        onSave={async (fields) => {
          if (await setStops(fields)) leave();
        }}
      />
      <CloseDialog
        ticket={closing}
        live={closing !== undefined && isOpen(closing.symbol)}
        busy={closing !== undefined && running.has(closing.id)}
        onClose={leave}
        onConfirm={async (ticket) => {
          await close(ticket.id);
          leave();
        }}
      />
      <SelfHoldDialog
        ticket={held}
        trader={held && traderOf(held)}
        busy={holding.busy}
        onClose={leave}
        onConfirm={async ({ id }) => {
          await holding.hold(id);
          leave();
        }}
      />
    </>
  );
}

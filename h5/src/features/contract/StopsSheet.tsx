import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Sheet } from '@/components/ui';
import { Decimal } from '@/lib/decimal';
import { useDeal } from './api/deal';
import type { Ticket } from './api/tickets';
import { heldOf, pairOf } from './held';
import { result, roe } from './numbers';
import { stopProblems } from './problems';
import { StopsForm } from './StopsForm';
import { priceOr } from './show';

interface Props {
  /** undefined: closed. */
  ticket: Ticket | undefined;
  /** The index can be relied on. */
  live: boolean;
  busy: boolean;
  onClose(): void;
  onSave(fields: { id: number; target_profit_price: string; stop_loss_price: string }): void;
}

/** Where a ticket is closed by itself, in prices and in money. */
export function StopsSheet({ ticket, onClose, ...rest }: Props) {
  const { t } = useTranslation('contract');
  const [last, setLast] = useState(ticket);
  if (ticket && ticket !== last) setLast(ticket);
  return (
    <Sheet open={ticket !== undefined} onClose={onClose} title={t('stops.title')}>
      {last && <TicketStops key={last.id} ticket={last} {...rest} />}
    </Sheet>
  );
}

const textOf = (price: string): string => (Number(price) === 0 ? '' : price);

function TicketStops({ ticket, live, busy, onSave }: Omit<Props, 'onClose' | 'ticket'> & { ticket: Ticket }) {
  const { t } = useTranslation('contract');
  const { rules } = useDeal(pairOf(ticket));
  const { direction, price, number, origin } = heldOf(ticket);
  const [, settle = ''] = ticket.symbol.split('/');
  // One that waits is judged by the price that it waits for.
  const reference = new Decimal(ticket.status === 0 ? ticket.origin_price : ticket.update_price);
  const places = rules?.priceDecimals ?? 2;
  return (
    <StopsForm
      settle={settle}
      rules={rules}
      stops={{ takeProfit: textOf(ticket.target_profit_price), stopLoss: textOf(ticket.stop_loss_price) }}
      prices={t('stops.entry', {
        entry: priceOr(ticket.price, places),
        index: priceOr(ticket.update_price, places),
      })}
      note={t('stops.note')}
      reference={reference}
      live={live}
      busy={busy}
      problemsOf={(stops) => (rules ? stopProblems(stops, direction, reference, rules) : [])}
      outcomeAt={(at) => {
        const profit = result(direction, price, at, number);
        return { price: at, profit, roe: roe(profit, origin) };
      }}
      onSave={({ takeProfit, stopLoss }) =>
        // "0" is none.
        onSave({ id: ticket.id, target_profit_price: takeProfit || '0', stop_loss_price: stopLoss || '0' })
      }
    />
  );
}

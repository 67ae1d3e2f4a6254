/** Tickets of a list as they are worth now. */
import type { AccountState } from '../market';
import type { LeverTicket } from './schema/shared';

/** Rows as listed, with what the events say of them since; one that the events do not name has ended. */
export function freshTickets(listed: readonly LeverTicket[], now: AccountState['lever']): LeverTicket[] {
  if (!now) return [...listed];
  const fresh = new Map(now.tickets.map((ticket) => [ticket.id, ticket]));
  return listed.flatMap((ticket) => {
    const moved = fresh.get(ticket.id);
    return moved ? [{ ...ticket, ...moved }] : [];
  });
}

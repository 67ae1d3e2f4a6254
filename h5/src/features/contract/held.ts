/** A ticket's row as numbers. */
import { Decimal } from '@/lib/decimal';
import type { Ticket } from './api/tickets';
import type { CloseRow } from './CloseSheets';
import { directionOf, type Held } from './numbers';
import type { Pair } from './rules';

export const heldOf = (ticket: Ticket): Held => ({
  symbol: ticket.symbol,
  direction: directionOf(ticket.type),
  mode: ticket.margin_mode,
  price: new Decimal(ticket.price),
  number: new Decimal(ticket.number),
  margin: new Decimal(ticket.caution_money),
  origin: new Decimal(ticket.origin_caution_money),
  profit: new Decimal(ticket.profits),
});

/** Value at their prices of tickets of a contract. */
export const openValue = (tickets: readonly Ticket[], symbol: string): Decimal =>
  tickets
    .filter((ticket) => ticket.symbol === symbol)
    .reduce((sum, { price, number }) => sum.plus(new Decimal(price).times(number)), new Decimal(0));

export const profitsOf = (tickets: readonly Ticket[]): Decimal =>
  tickets.reduce((sum, { profits }) => sum.plus(profits), new Decimal(0));

/** What the sheet that closes several positions must know of each. */
export const closeRow = ({ type, profits }: Ticket): CloseRow => ({ long: type === 1, profit: new Decimal(profits) });

/** What its owner gained or lost by one that is closed: no more than what backed it. */
export const gainedOf = (ticket: Ticket): Decimal => new Decimal(ticket.fact_profits);

/** The same without what opening it and its nights cost. */
export const keptOf = (ticket: Ticket): Decimal =>
  gainedOf(ticket).minus(ticket.trade_fee).minus(ticket.overnight_money);

/** The pair that a ticket, or a position of a book, is of. */
export function pairOf({ symbol, currency_id, legal_id }: Pick<Ticket, 'symbol' | 'currency_id' | 'legal_id'>): Pair {
  const [currency_name = '', legal_name = ''] = symbol.split('/');
  return { symbol, currency_name, legal_name, currency_id, legal_id };
}

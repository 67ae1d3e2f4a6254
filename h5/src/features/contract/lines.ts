/** The prices of open positions that the chart shows. Pure. */
import { formatAmount } from '@/lib/format';
import type { PriceLine } from '@/trading';
import type { Ticket } from './api/tickets';

/** More lines than these say nothing any more. */
const MOST_POSITIONS = 6;

export type LineName = 'long' | 'short' | 'liquidation' | 'takeProfit' | 'stopLoss';

/** Of the newest positions of a contract; the same price for the same reason is one line. */
export function positionLines(
  tickets: readonly Ticket[],
  symbol: string,
  name: (line: LineName) => string,
): PriceLine[] {
  const lines = new Map<string, PriceLine>();
  const draw = (line: LineName, price: string | null, tone: PriceLine['tone'], title = name(line)) => {
    const value = Number(price);
    if (value > 0) lines.set(`${line} ${price}`, { key: `${line} ${price}`, price: value, title, tone });
  };
  for (const ticket of tickets.filter((row) => row.symbol === symbol).slice(0, MOST_POSITIONS)) {
    const side = ticket.type === 1 ? 'long' : 'short';
    draw(side, ticket.price, ticket.type === 1 ? 'up' : 'down', `${name(side)} ${formatAmount(ticket.share)}`);
    draw('liquidation', ticket.liq_price, 'warn');
    draw('takeProfit', ticket.target_profit_price, 'base');
    draw('stopLoss', ticket.stop_loss_price, 'base');
  }
  return [...lines.values()];
}

/** The prices of own positions and orders in a contract's book that the chart shows. Pure. */
import type { PriceLine } from '@/trading';
import type { BookOrder, Position } from '../api/book';

export type ProLine = 'mark' | 'index' | 'long' | 'short' | 'liquidation' | 'buy' | 'sell';

/** More orders than these say nothing any more. */
const MOST_ORDERS = 6;

export function bookLines(
  positions: readonly Position[],
  orders: readonly BookOrder[],
): (PriceLine & { line: ProLine })[] {
  const lines: (PriceLine & { line: ProLine })[] = [];
  const draw = (line: ProLine, of: string, price: string | null, tone: PriceLine['tone']) => {
    if (Number(price) > 0) lines.push({ key: `${line} ${of}`, line, price: Number(price), title: '', tone });
  };
  for (const { side, position_side, entry, liq_price } of positions) {
    draw(side, position_side, entry, side === 'long' ? 'up' : 'down');
    draw('liquidation', position_side, liq_price, 'warn');
  }
  for (const { id, type, target_price, trigger_price, waiting } of orders.slice(0, MOST_ORDERS)) {
    const price = waiting ? trigger_price : target_price;
    draw(type === 1 ? 'buy' : 'sell', String(id), price, type === 1 ? 'up' : 'down');
  }
  return lines;
}

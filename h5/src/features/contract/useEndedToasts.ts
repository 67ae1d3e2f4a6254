import { useQueryClient } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { Decimal } from '@/lib/decimal';
import { formatAmount, formatPrice } from '@/lib/format';
import { usePrivateEvents } from '@/lib/market';
import { toast } from '@/lib/toast';
import { endedTickets, historyKey, type Ticket } from './api/tickets';
import { gainedOf } from './held';
import { signedExact } from './show';

/** Rows of what ended follow the fact by moments; one that was opened long ago is further back. */
const LOOKS = [
  { afterMs: 0, pages: 1 },
  { afterMs: 400, pages: 1 },
  { afterMs: 1_200, pages: 1 },
  { afterMs: 3_000, pages: 10 },
] as const;
const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** The rows of all of them, or of those that came in time. */
async function rowsOf(ids: readonly number[]): Promise<Ticket[]> {
  let rows: Ticket[] = [];
  for (const { afterMs, pages } of LOOKS) {
    await wait(afterMs);
    rows = await endedTickets(ids, pages);
    if (rows.length === ids.length) break;
  }
  return rows;
}

const assetOf = (ticket: Ticket): string => ticket.symbol.split('/')[1] ?? '';

/** What became of positions, with the numbers of the fact. */
export function endedText(rows: readonly Ticket[], t: TFunction<'contract'>): string {
  const [first] = rows;
  if (!first) return '';
  const profit = signedExact(rows.reduce((sum, row) => sum.plus(gainedOf(row)), new Decimal(0)));
  const liquidated = rows.every(({ close_reason }) => close_reason === 'liquidation');
  if (rows.length > 1) {
    const values = { number: rows.length, profit, asset: assetOf(first) };
    return t(liquidated ? 'ended.severalLiquidated' : 'ended.several', values);
  }
  const position = t('ticket.label', {
    direction: t(first.type === 1 ? 'form.long' : 'form.short'),
    pair: first.symbol,
    lots: formatAmount(first.share),
  });
  const places = new Decimal(first.update_price).decimalPlaces();
  return t(`ended.${first.close_reason || 'user'}`, {
    price: formatPrice(first.update_price, Math.max(places, 2)),
    position,
    profit,
    asset: assetOf(first),
  });
}

/** Tells of positions that ended the moment they do, whichever list is open. */
export function useEndedToasts(): void {
  const { t } = useTranslation('contract');
  const client = useQueryClient();
  usePrivateEvents((event) => {
    if (event.event !== 'lever_closed') return;
    void client.invalidateQueries({ queryKey: historyKey });
    // Who cancels a limit order has been told so.
    const ids = event.ended.filter(({ reason }) => reason !== 'cancel').map(({ id }) => id);
    if (ids.length === 0) return;
    rowsOf(ids).then(
      (rows) => {
        const text = endedText(rows, t);
        const liquidated = rows.some(({ close_reason }) => close_reason === 'liquidation');
        if (liquidated) toast.error(text, { long: true });
        else toast.success(text);
        void client.invalidateQueries({ queryKey: historyKey });
      },
      // The lists tell it too.
      () => undefined,
    );
  });
}

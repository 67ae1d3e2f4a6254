/** The calls that close positions of books, one after the other. */
import { command } from '@/lib/api/client';
import { requestKey } from '@/lib/api/money';
import { contractCancel, contractCancelAll, contractOrder, contractOrders } from '@/lib/api/schema/contractCalls';
import { Decimal } from '@/lib/decimal';
import { type Closing, closingOf } from '../pro/closing';
import { closingFields } from '../pro/draft';
import { named, type Position } from './book';

type End = 'closed' | 'partly' | 'refused';

const key = () => ({ key: requestKey() });

/** One that was filled or cancelled meanwhile is gone all the same: its refusal says nothing. */
async function leave(ids: readonly number[]): Promise<void> {
  for (const id of ids) await command(contractCancel, { id }, { ...key(), quiet: true });
}

/** What waits for a price leaves only when nothing is left of the position. */
async function closeOne({ position, before, after }: Closing): Promise<End> {
  await leave(before);
  const reply = await command(contractOrder, closingFields(position), key());
  if (!reply.ok) return 'refused';
  if (new Decimal(reply.data.filled_amount).lt(position.amount)) return 'partly';
  await leave(after);
  return 'closed';
}

/** With `everything` all orders of contracts of which nothing is left leave too. */
export async function closeEach(positions: readonly Position[], everything: boolean): Promise<End[]> {
  const orders = await command(contractOrders, {});
  if (!orders.ok) return ['refused'];
  const ends: End[] = [];
  for (const position of positions) ends.push(await closeOne(closingOf(position, orders.message)));
  if (!everything) return ends;
  const open = new Set(positions.filter((_, at) => ends[at] !== 'closed').map(({ match_id }) => match_id));
  const contracts = new Map(positions.map((position) => [position.match_id, position]));
  for (const [id, pair] of contracts) if (!open.has(id)) await command(contractCancelAll, named(pair), key());
  return ends;
}

/** Closes positions of books, several with one tap. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { command } from '@/lib/api/client';
import { requestKey } from '@/lib/api/money';
import { contractCancel, contractCancelAll, contractOrder, contractOrders } from '@/lib/api/schema/contractCalls';
import { Decimal } from '@/lib/decimal';
import { toast } from '@/lib/toast';
import { named, type Position, proKey } from '../api/book';
import { type Closing, closingOf } from './closing';
import { closingFields } from './draft';

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

async function closeEach(positions: readonly Position[], everything: boolean): Promise<End[]> {
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

export function useClosePositions() {
  const { t } = useTranslation('contract');
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  return {
    busy,
    /** At market, one after the other; with `everything` all orders of contracts of which nothing is left leave too. */
    close: async (positions: readonly Position[], everything: boolean): Promise<void> => {
      setBusy(true);
      const ends = await closeEach(positions, everything);
      await client.invalidateQueries({ queryKey: proKey });
      setBusy(false);
      // A refusal was told when it came.
      if (ends.includes('partly')) toast.error(t('pro.closedPartly'), { long: true });
      else if (!ends.includes('refused')) toast.success(t('close.allDone'));
    },
  };
}

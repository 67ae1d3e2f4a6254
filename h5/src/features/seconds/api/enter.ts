/** Entering an option, and finding it afterwards: the answer may get lost, and the list has it all the same. */
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { type Outcome, useMoneyRequest } from '@/lib/api/money';
import { type SecondsSubmitFields, secondsSubmit } from '@/lib/api/schema/secondsCalls';
import { type Option, openIds, readOpen } from './options';

export type Entry = SecondsSubmitFields;

/** Rows follow the fact by moments. */
const LOOKS_MS = [0, 300, 900] as const;
const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

const isOf = (option: Option, { match_id, type, seconds }: Entry): boolean =>
  option.match_id === Number(match_id) && option.type === Number(type) && option.seconds === Number(seconds);

/** The new one among those that are open. */
async function found(client: QueryClient, known: ReadonlySet<number>, entry: Entry): Promise<Option | undefined> {
  for (const afterMs of LOOKS_MS) {
    await wait(afterMs);
    const rows = await readOpen(client).catch(() => []);
    const option = rows.find((row) => !known.has(row.id) && isOf(row, entry));
    if (option) return option;
  }
  return undefined;
}

export function useEnter() {
  const client = useQueryClient();
  const { phase, send } = useMoneyRequest(secondsSubmit);
  const [looking, setLooking] = useState(false);
  const enter = useCallback(
    async (entry: Entry, label: string): Promise<{ outcome: Outcome | null; option: Option | undefined }> => {
      const known = openIds(client);
      const outcome = await send(entry, label);
      if (outcome?.kind !== 'done') return { outcome, option: undefined };
      setLooking(true);
      const option = await found(client, known, entry);
      setLooking(false);
      return { outcome, option };
    },
    [client, send],
  );
  return { phase: looking ? ('sending' as const) : phase, enter };
}

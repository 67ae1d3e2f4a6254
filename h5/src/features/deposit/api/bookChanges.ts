/** Changes of the book of addresses, each confirmed by whoever makes it. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { command } from '@/lib/api/client';
import { type Confirmation, quietSurety, suretyOf } from '@/lib/api/safe';
import { addressBookDelete, addressBookSave, addressBookSwitchWhitelist } from '@/lib/api/schema/addressBookCalls';
import { BOOK, WHITELIST } from './book';

export interface NewAddress {
  currency: number;
  network: string;
  address: string;
  remark: string;
}

/** `field`: it is the address that is wrong. `spent`: what it was confirmed with was right, and a code is good once. */
export type Saved = { ok: true } | { ok: false; field: boolean; spent: boolean; why: string };

/** Makes changes of the book; what it holds then is read again, also when an answer was lost. */
export function useBookChanges() {
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);

  async function during<T>(act: () => Promise<T>): Promise<T> {
    setBusy(true);
    const result = await act();
    for (const queryKey of [BOOK, WHITELIST, ['withdrawQuote']]) await client.invalidateQueries({ queryKey });
    setBusy(false);
    return result;
  }

  const save = ({ currency, network, address, remark }: NewAddress, by: Confirmation): Promise<Saved> =>
    during(async () => {
      const proved = await quietSurety({ action: 'address_add', currency, network, address }, by);
      if ('why' in proved) return { ok: false, field: false, spent: false, why: proved.why };
      const fields = { currency, network, address, ...(remark && { remark }) };
      const reply = await command(addressBookSave, { ...fields, ...proved.surety }, { quiet: true });
      if (reply.ok) return { ok: true };
      return { ok: false, field: 'address' in reply.fields, spent: true, why: reply.text };
    });

  const remove = (id: number): Promise<boolean> => during(async () => (await command(addressBookDelete, { id })).ok);

  /** That new addresses wait makes an account safer: it needs nothing besides the session. */
  const waitAgain = (): Promise<boolean> =>
    during(async () => (await command(addressBookSwitchWhitelist, { on: 1 })).ok);

  const waitNoMore = (by: Confirmation): Promise<boolean> =>
    during(async () => {
      const surety = await suretyOf({ action: 'whitelist', on: 0 }, by);
      return surety !== null && (await command(addressBookSwitchWhitelist, { on: 0, ...surety })).ok;
    });

  return { busy, save, remove, waitAgain, waitNoMore };
}

/** The private event of withdrawals: one went on. */
import type { Dec } from '../../api/shape';
import { decimal, integer, isObject } from '../decode';
import type { EventKinds } from '../productEvents';

export interface MovedWithdrawal {
  id: number;
  /** As the list of withdrawals names it; a newer server may have others. */
  state: string;
  status: number;
  currency: number;
  coin: string;
  number: Dec;
  txid: string | null;
}

declare module '../types' {
  interface ProductEvents {
    withdrawal: { withdrawal: MovedWithdrawal };
  }
}

export const events: EventKinds<'withdrawal'> = {
  withdrawal: {
    read(data) {
      if (!isObject(data)) return undefined;
      const { state, currency_name: coin, number, txid } = data;
      const [id, status, currency] = [integer(data.id), integer(data.status), integer(data.currency)];
      if (id === undefined || status === undefined || currency === undefined) return undefined;
      if (typeof state !== 'string' || typeof coin !== 'string') return undefined;
      if (typeof txid !== 'string' && txid !== null) return undefined;
      if (typeof number !== 'string' || decimal(number) === undefined) return undefined;
      return { withdrawal: { id, state, status, currency, coin, number, txid } };
    },
  },
};

/** The private event of deposits: coins that were credited. Rule: docs/rules/app-calls.md "Deposits". */
import type { Dec } from '../../api/shape';
import { decimal, integer, isObject } from '../decode';
import type { EventKinds } from '../productEvents';

export interface ArrivedDeposit {
  chain: number;
  currency: number;
  coin: string;
  amount: Dec;
  txid: string;
  /** Which output of the transaction. */
  output: number;
}

declare module '../types' {
  interface ProductEvents {
    deposit: { deposit: ArrivedDeposit };
  }
}

export const events: EventKinds<'deposit'> = {
  deposit: {
    read(data) {
      if (!isObject(data)) return undefined;
      const { currency_name: coin, amount, txid } = data;
      const [chain, currency, output] = [integer(data.chain), integer(data.currency), integer(data.output)];
      if (chain === undefined || currency === undefined || output === undefined) return undefined;
      if (typeof coin !== 'string' || typeof txid !== 'string') return undefined;
      if (typeof amount !== 'string' || decimal(amount) === undefined) return undefined;
      return { deposit: { chain, currency, coin, amount, txid, output } };
    },
  },
};

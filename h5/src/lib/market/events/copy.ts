/** The private events of copy trading: what became of a trade of somebody who is followed, and shares that were paid. */
import type { Dec } from '../../api/shape';
import { decimal, integer, isObject } from '../decode';
import type { EventKinds } from '../productEvents';

interface Trader {
  id: number;
  /** Empty when it is not told. */
  nickname: string;
}

declare module '../types' {
  interface ProductEvents {
    copy_opened: { trader: Trader };
    copy_closed: { trader: Trader };
    copy_skipped: { trader: Trader };
    profit_shared: { trader: Trader; share: Dec; released: Dec };
  }
}

type Names = 'copy_opened' | 'copy_closed' | 'copy_skipped' | 'profit_shared';

const textOr = (value: unknown): string => (typeof value === 'string' ? value : '');

function traderOf(data: unknown): { trader: Trader; data: Record<string, unknown> } | undefined {
  if (!isObject(data) || !isObject(data.trader)) return undefined;
  const id = integer(data.trader.id);
  return id === undefined ? undefined : { trader: { id, nickname: textOr(data.trader.nickname) }, data };
}

function onlyTrader(data: unknown): { trader: Trader } | undefined {
  const told = traderOf(data);
  return told && { trader: told.trader };
}

export const events: EventKinds<Names> = {
  copy_opened: { read: onlyTrader },
  copy_closed: { read: onlyTrader },
  // Why is told in the reader's language by the list of them.
  copy_skipped: { read: onlyTrader },
  profit_shared: {
    read(told) {
      const found = traderOf(told);
      if (!found) return undefined;
      const { share, released } = found.data;
      if (decimal(share) === undefined || decimal(released) === undefined) return undefined;
      return { trader: found.trader, share: String(share), released: String(released) };
    },
  },
};

/** The private event of seconds options: one that was settled. Rule: docs/rules/realtime.md "Private events". */
import type { Dec } from '../../api/shape';
import { decimal, integer, isObject, oneOf } from '../decode';
import type { EventKinds } from '../productEvents';

/** What an option has become, by the names that its rows have. */
export interface OptionEnd {
  id: number;
  symbol_name: string;
  currency_name: string;
  type: 1 | 2;
  seconds: number;
  number: Dec;
  fee: Dec;
  end_price: Dec | null;
  close_tick: number | null;
  profit_result: -1 | 0 | 1;
  is_void: boolean;
  /** Signed, before the fee. */
  fact_profits: Dec;
  status: 3;
}

declare module '../types' {
  interface ProductEvents {
    closed_microorder: { option: OptionEnd };
  }
}

declare module '../account' {
  interface AccountState {
    /** Options that ended while this page was open, by id: a row that was asked for before is older. */
    endedOptions?: Readonly<Record<number, OptionEnd>>;
  }
}

const TYPES: readonly OptionEnd['type'][] = [1, 2];
const RESULTS: readonly OptionEnd['profit_result'][] = [-1, 0, 1];
const isFigure = (value: unknown): value is Dec => decimal(value) !== undefined;

function optionEnd(data: unknown): OptionEnd | undefined {
  if (!isObject(data) || data.status !== 3 || typeof data.is_void !== 'boolean') return undefined;
  const { symbol_name, currency_name, number, fee, fact_profits, end_price, close_tick, is_void } = data;
  const [id, seconds] = [integer(data.id), integer(data.seconds)];
  if (id === undefined || seconds === undefined) return undefined;
  if (typeof symbol_name !== 'string' || typeof currency_name !== 'string') return undefined;
  if (!isFigure(number) || !isFigure(fee) || !isFigure(fact_profits)) return undefined;
  if (end_price !== null && !isFigure(end_price)) return undefined;
  if (close_tick !== null && integer(close_tick) === undefined) return undefined;
  return {
    id,
    symbol_name,
    currency_name,
    type: oneOf(data.type, TYPES, 'type'),
    seconds,
    number,
    fee,
    end_price,
    close_tick: close_tick as number | null,
    profit_result: oneOf(data.profit_result, RESULTS, 'profit_result'),
    is_void,
    fact_profits,
    status: 3,
  };
}

export const events: EventKinds<'closed_microorder'> = {
  closed_microorder: {
    read(data) {
      const option = optionEnd(data);
      return option && { option };
    },
    apply: (state, { option }) => ({ ...state, endedOptions: { ...state.endedOptions, [option.id]: option } }),
  },
};

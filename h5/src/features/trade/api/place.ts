import { useMoneyRequest } from '@/lib/api/money';
import {
  type ArrangedOcoFields,
  type ArrangedStopFields,
  arrangedOco,
  arrangedStop,
} from '@/lib/api/schema/arrangedCalls';
import { type SpotPlaceFields, spotPlace } from '@/lib/api/schema/spotCalls';
import type { CallShape } from '@/lib/api/shape';
import { isStop, type OrderKind } from '../ticket/kinds';

export type OrderFields = SpotPlaceFields | ArrangedStopFields | ArrangedOcoFields;

export function orderCall(kind: OrderKind): CallShape<OrderFields, string, object> {
  if (kind === 'oco') return arrangedOco;
  return isStop(kind) ? arrangedStop : spotPlace;
}

/** Places an order of a kind: sends its fields, and tells what became of them. */
export const usePlaceOrder = (kind: OrderKind) => useMoneyRequest(orderCall(kind));

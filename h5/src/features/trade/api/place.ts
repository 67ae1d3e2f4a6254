import { useMoneyRequest } from '@/lib/api/money';
import { orderGroupsOco, orderGroupsStop } from '@/lib/api/schema/orderGroupsCalls';
import { spotPlace } from '@/lib/api/schema/spotCalls';
import type { CallShape } from '@/lib/api/shape';
import type { OrderFields, PlaceCall } from '@/trading';

const CALLS: { [C in PlaceCall]: CallShape<OrderFields<C>, string, object> } = {
  trade: spotPlace,
  stop: orderGroupsStop,
  oco: orderGroupsOco,
};

/** Places an order by one of spot's calls: sends its fields, and tells what became of them. */
export const usePlaceOrder = (call: PlaceCall) => useMoneyRequest<OrderFields, string, object>(CALLS[call]);

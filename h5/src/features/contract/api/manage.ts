/** What is done to tickets. */
import { command } from '@/lib/api/client';
import { requestKey, useMoneyRequest } from '@/lib/api/money';
import {
  type LeverBatchCloseFields,
  type LeverSetStopFields,
  leverBatchClose,
  leverCancel,
  leverClose,
  leverSetStop,
  leverSubmit,
} from '@/lib/api/schema/leverCalls';

export type { LeverSubmitFields } from '@/lib/api/schema/leverCalls';

/** Opens a ticket, and tells what became of it however the answer got lost. */
export const useOpenTicket = () => useMoneyRequest(leverSubmit);

export const closeTicket = (id: number) => command(leverClose, { id }, { key: requestKey() });
export const cancelTicket = (id: number) => command(leverCancel, { id }, { key: requestKey() });
export const setStops = (fields: LeverSetStopFields) => command(leverSetStop, fields, { key: requestKey() });
export const closeAll = (fields: LeverBatchCloseFields) => command(leverBatchClose, fields, { key: requestKey() });

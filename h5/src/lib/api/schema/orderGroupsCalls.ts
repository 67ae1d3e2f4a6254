// Made by `npm run schema` from app-calls.json, the document that the server makes of its calls.
import { type CallShape, describeCall, flag, list, object, oneOf, text, whole } from '../shape';

export interface OrderGroupsOcoFields {
  amount: string | number;
  currency_id: string | number;
  legal_id: string | number;
  /** None: at market. */
  stop_price?: string | number;
  target_price: string | number;
  trigger_price?: string | number;
  /** 1 buy, 2 sell. */
  type: 1 | 2;
}

/** `POST /api/coin/oco` */
export const orderGroupsOco: CallShape<
  OrderGroupsOcoFields,
  string,
  {
    id: number;
    ids: number[];
    order_no: string;
    /** It was answered before, to a request with the same key. */
    repeated?: boolean;
    status: 1 | 2 | 3 | 4;
  }
> = describeCall(
  'POST',
  '/coin/oco',
  text,
  object(
    {
      id: whole,
      ids: list(whole),
      order_no: text,
      status: oneOf(1, 2, 3, 4),
    },
    {
      repeated: flag,
    },
  ),
);

export interface OrderGroupsStopFields {
  amount: string | number;
  currency_id: string | number;
  legal_id: string | number;
  /** None: at market. */
  target_price?: string | number;
  /** Percent. */
  trail?: string | number;
  trigger: 'stop_loss' | 'take_profit';
  trigger_price?: string | number;
  /** 1 buy, 2 sell. */
  type: 1 | 2;
}

/** `POST /api/coin/stop` */
export const orderGroupsStop: CallShape<
  OrderGroupsStopFields,
  string,
  {
    id: number;
    ids: number[];
    order_no: string;
    /** It was answered before, to a request with the same key. */
    repeated?: boolean;
    status: 1 | 2 | 3 | 4;
  }
> = describeCall(
  'POST',
  '/coin/stop',
  text,
  object(
    {
      id: whole,
      ids: list(whole),
      order_no: text,
      status: oneOf(1, 2, 3, 4),
    },
    {
      repeated: flag,
    },
  ),
);

// Made by `npm run schema` from app-calls.json, the document that the server makes of its calls.
import {
  type CallShape,
  type Dec,
  decimal,
  describeCall,
  either,
  flag,
  list,
  nothing,
  object,
  oneOf,
  type Shape,
  text,
  whole,
} from '../shape';

export interface Coupon {
  created_at: string;
  expired_ms: number;
  expired_time: string;
  id: number;
  /** cash: its value comes into the spot wallet. micro_bonus: it is the stake of a seconds option. */
  kind: 'cash' | 'micro_bonus';
  /** Always 0. */
  min_amount: Dec;
  /** Of its campaign. */
  name: string;
  /** Its value. */
  price: Dec;
  /** What it is good for, in the reader's language. */
  project_name: string;
  /** Of status 2: it was taken back. */
  revoked: boolean;
  status: 0 | 1 | 2;
  /** What the value is in. */
  unit: string;
  /** When it was used or taken back. */
  used_at: string | null;
}

export const couponShape: Shape<Coupon> = object({
  created_at: text,
  expired_ms: whole,
  expired_time: text,
  id: whole,
  kind: oneOf('cash', 'micro_bonus'),
  min_amount: decimal,
  name: text,
  price: decimal,
  project_name: text,
  revoked: flag,
  status: oneOf(0, 1, 2),
  unit: text,
  used_at: either(text, nothing),
});

export interface CouponPage {
  current_page: number;
  data: Coupon[];
  last_page: number;
  limit: number;
  page: number;
  pages: number;
  per_page: number;
  total: number;
}

export const couponPageShape: Shape<CouponPage> = object({
  current_page: whole,
  data: list(couponShape),
  last_page: whole,
  limit: whole,
  page: whole,
  pages: whole,
  per_page: whole,
  total: whole,
});

export interface CouponExchangeFields {
  /** Letters and digits; small and large ones are the same, hyphens and blanks are not read. */
  code: string;
}

/** `POST /api/coupon/exchange` */
export const couponExchange: CallShape<
  CouponExchangeFields,
  string,
  {
    /** It was answered before, to a request with the same key. */
    repeated?: boolean;
  } | null
> = describeCall(
  'POST',
  '/coupon/exchange',
  text,
  either(
    object(
      {},
      {
        repeated: flag,
      },
    ),
    nothing,
  ),
);

export interface CouponListFields {
  /** 0: unused, the default. 1: used. 2: expired or taken back. */
  status?: 0 | 1 | 2;
  page?: string | number;
  limit?: string | number;
}

/** `GET /api/coupon/list` */
export const couponList: CallShape<CouponListFields, CouponPage> = describeCall('GET', '/coupon/list', couponPageShape);

export interface CouponCashFields {
  id: string | number;
}

/** `POST /api/coupon/use` */
export const couponCash: CallShape<
  CouponCashFields,
  string,
  {
    /** It was answered before, to a request with the same key. */
    repeated?: boolean;
  } | null
> = describeCall(
  'POST',
  '/coupon/use',
  text,
  either(
    object(
      {},
      {
        repeated: flag,
      },
    ),
    nothing,
  ),
);

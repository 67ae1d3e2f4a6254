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

export interface UserInfo {
  account_number: string;
  advanced_review_status: 0 | 1 | 2 | 3;
  area_code: string;
  /** Products of which nothing can be opened there. */
  barred: ('spot' | 'contract' | 'options' | 'flash_exchange' | 'stocks' | 'follow')[];
  /** Where the owner lives, two letters, as a verification said; empty before. */
  country: string;
  email: string | null;
  extension_code: string;
  frozen_funds: 0 | 1;
  has_pay_password: boolean;
  head_portrait: string;
  id: number;
  invite: {
    number: number;
    rebate_total: Dec;
    trans_number: number;
  };
  is_market_maker: 0 | 1;
  is_trader: 0 | 1;
  level: number;
  level_name: string;
  name: string;
  nickname: string;
  phone: string | null;
  real_status: 0 | 1 | 2;
  review_status: 0 | 1 | 2 | 3;
  score: number;
  signature: string;
  status: 0 | 1;
  time: string;
  time_ms: number;
  uid: string;
  unread: {
    notice: number;
    service: number;
    system: number;
  };
}

export const userInfoShape: Shape<UserInfo> = object({
  account_number: text,
  advanced_review_status: oneOf(0, 1, 2, 3),
  area_code: text,
  barred: list(oneOf('spot', 'contract', 'options', 'flash_exchange', 'stocks', 'follow')),
  country: text,
  email: either(text, nothing),
  extension_code: text,
  frozen_funds: oneOf(0, 1),
  has_pay_password: flag,
  head_portrait: text,
  id: whole,
  invite: object({
    number: whole,
    rebate_total: decimal,
    trans_number: whole,
  }),
  is_market_maker: oneOf(0, 1),
  is_trader: oneOf(0, 1),
  level: whole,
  level_name: text,
  name: text,
  nickname: text,
  phone: either(text, nothing),
  real_status: oneOf(0, 1, 2),
  review_status: oneOf(0, 1, 2, 3),
  score: whole,
  signature: text,
  status: oneOf(0, 1),
  time: text,
  time_ms: whole,
  uid: text,
  unread: object({
    notice: whole,
    service: whole,
    system: whole,
  }),
});

export type UserInfoFields = Record<never, never>;

/** `GET /api/user/info` */
export const userInfo: CallShape<UserInfoFields, UserInfo> = describeCall('GET', '/user/info', userInfoShape);

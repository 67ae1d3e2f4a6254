// Made by `npm run schema` from app-calls.json, the document that the server makes of its calls.
import { type CallShape, describeCall, list, object, oneOf, type Shape, text, whole } from '../shape';

export interface WithdrawAddress {
  address: string;
  created_at: string;
  created_at_ms: number;
  currency: number;
  id: number;
  /** Of the asset. */
  name: string;
  network: string;
  remark: string;
  /** Before this nothing is paid to it; 0: it is paid. */
  usable_at_ms: number;
}

export const withdrawAddressShape: Shape<WithdrawAddress> = object({
  address: text,
  created_at: text,
  created_at_ms: whole,
  currency: whole,
  id: whole,
  name: text,
  network: text,
  remark: text,
  usable_at_ms: whole,
});

export interface WithdrawAddressPage {
  current_page: number;
  data: WithdrawAddress[];
  last_page: number;
  limit: number;
  page: number;
  pages: number;
  per_page: number;
  total: number;
}

export const withdrawAddressPageShape: Shape<WithdrawAddressPage> = object({
  current_page: whole,
  data: list(withdrawAddressShape),
  last_page: whole,
  limit: whole,
  page: whole,
  pages: whole,
  per_page: whole,
  total: whole,
});

export interface AddressBookDeleteFields {
  id: string | number;
}

/** `POST /api/user/wallet/del` */
export const addressBookDelete: CallShape<AddressBookDeleteFields, string> = describeCall(
  'POST',
  '/user/wallet/del',
  text,
);

export interface AddressBookListFields {
  /** Of this asset only. */
  currency?: string | number;
  page?: string | number;
  limit?: string | number;
}

/** `GET /api/user/wallet/list` */
export const addressBookList: CallShape<AddressBookListFields, WithdrawAddressPage> = describeCall(
  'GET',
  '/user/wallet/list',
  withdrawAddressPageShape,
);

export interface AddressBookSaveFields {
  address: string;
  currency: string | number;
  /** The only one of the asset unless said otherwise. */
  network?: string;
  /** Enough while no second factor is in use. */
  pay_password?: string;
  /** Of this action and these fields. */
  proof?: string;
  /** At most 50 characters. */
  remark?: string;
}

/** `POST /api/user/wallet/save` */
export const addressBookSave: CallShape<AddressBookSaveFields, string, WithdrawAddress> = describeCall(
  'POST',
  '/user/wallet/save',
  text,
  withdrawAddressShape,
);

export type AddressBookWhitelistFields = Record<never, never>;

/** `GET /api/user/wallet/whitelist` */
export const addressBookWhitelist: CallShape<
  AddressBookWhitelistFields,
  {
    /** When it is switched off, after it was asked for; 0: it was not, or it is off. */
    off_at_ms: number;
    /** 1: new addresses wait before they are paid. */
    on: 0 | 1;
    /** How long. */
    wait_s: number;
  }
> = describeCall(
  'GET',
  '/user/wallet/whitelist',
  object({
    off_at_ms: whole,
    on: oneOf(0, 1),
    wait_s: whole,
  }),
);

export interface AddressBookSwitchWhitelistFields {
  on: 0 | 1;
  /** Enough while no second factor is in use. */
  pay_password?: string;
  /** Of this action and these fields. */
  proof?: string;
}

/** `POST /api/user/wallet/whitelist` */
export const addressBookSwitchWhitelist: CallShape<AddressBookSwitchWhitelistFields, string> = describeCall(
  'POST',
  '/user/wallet/whitelist',
  text,
);

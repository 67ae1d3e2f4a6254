// Made by `npm run schema` from app-calls.json, the document that the server makes of its calls.
import { type CallShape, describeCall, list, object, type Shape, text, whole } from '../shape';

export interface BankCard {
  alipay_account: string;
  /** Masked but for the last four. */
  bank_account: string;
  bank_branch: string;
  bank_dizhi: string;
  bank_name: string;
  /** Banks to choose from; none are kept. */
  banks: {
    id: number;
    name: string;
  }[];
  /** Masked but for the last four. */
  phone: string;
  /** This and the others are empty without a card. */
  real_name: string;
  saved_at: string;
  /** 0 without a card. */
  saved_at_ms: number;
  wechat_account: string;
  wechat_nickname: string;
}

export const bankCardShape: Shape<BankCard> = object({
  alipay_account: text,
  bank_account: text,
  bank_branch: text,
  bank_dizhi: text,
  bank_name: text,
  banks: list(
    object({
      id: whole,
      name: text,
    }),
  ),
  phone: text,
  real_name: text,
  saved_at: text,
  saved_at_ms: whole,
  wechat_account: text,
  wechat_nickname: text,
});

export interface InternationalBankCard {
  /** A text for each, account number and phone masked; none without a card. */
  data: string[];
  /** What the fields are called, in the language of the call. */
  forms: string[];
  saved_at: string;
  /** 0 without a card. */
  saved_at_ms: number;
}

export const internationalBankCardShape: Shape<InternationalBankCard> = object({
  data: list(text),
  forms: list(text),
  saved_at: text,
  saved_at_ms: whole,
});

export interface CardsDeleteFields {
  /** 1: the domestic card, 2: the international one. */
  type: 1 | 2;
}

/** `POST /api/user/cash_delete` */
export const cardsDelete: CallShape<CardsDeleteFields, string> = describeCall('POST', '/user/cash_delete', text);

export type CardsShowFields = Record<never, never>;

/** `POST /api/user/cash_info` */
export const cardsShow: CallShape<CardsShowFields, BankCard> = describeCall('POST', '/user/cash_info', bankCardShape);

export type CardsShowInternationalFields = Record<never, never>;

/** `POST /api/user/cash_info_international` */
export const cardsShowInternational: CallShape<CardsShowInternationalFields, InternationalBankCard> = describeCall(
  'POST',
  '/user/cash_info_international',
  internationalBankCardShape,
);

export interface CardsSaveFields {
  /** The ABA number; also as aba_number. */
  alipay_account: string;
  /** 6 to 34 letters and digits; of an IBAN the check digits are looked at. */
  bank_account: string;
  /** The branch; also as branch_network. */
  bank_branch: string;
  /** Province and city; also as province_city. */
  bank_dizhi: string;
  bank_name: string;
  /** Enough while no second factor is in use. */
  pay_password?: string;
  phone: string;
  /** Of this action and these fields. */
  proof?: string;
  real_name: string;
  /** The card holder's address; also as cardholder_address. */
  wechat_account: string;
  /** The SWIFT code, 8 or 11 letters and digits; also as swift_code. */
  wechat_nickname: string;
}

/** `POST /api/user/cash_save` */
export const cardsSave: CallShape<CardsSaveFields, string> = describeCall('POST', '/user/cash_save', text);

export interface CardsSaveInternationalFields {
  /** A JSON array with a text for each of the forms; or data[0], data[1] and so on. */
  data: string;
  /** Enough while no second factor is in use. */
  pay_password?: string;
  /** Of this action and these fields. */
  proof?: string;
}

/** `POST /api/user/cash_save_international` */
export const cardsSaveInternational: CallShape<CardsSaveInternationalFields, string> = describeCall(
  'POST',
  '/user/cash_save_international',
  text,
);

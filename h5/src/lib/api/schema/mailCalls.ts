// Made by `npm run schema` from app-calls.json, the document that the server makes of its calls.
import { type CallShape, describeCall, list, object, oneOf, type Shape, text, whole } from '../shape';

export interface MailRow {
  abstract: string;
  /** Of an announcement HTML, otherwise plain text. */
  content: string;
  create_time: string;
  /** What it tells, as order_filled; other releases tell more. */
  event: string;
  id: string;
  is_read: 0 | 1;
  kind: 'service' | 'system' | 'notice';
  sender_avatar: string;
  sender_name: string;
  title: string;
  /** The app's page that it leads to; empty without one. */
  url: string;
}

export const mailRowShape: Shape<MailRow> = object({
  abstract: text,
  content: text,
  create_time: text,
  event: text,
  id: text,
  is_read: oneOf(0, 1),
  kind: oneOf('service', 'system', 'notice'),
  sender_avatar: text,
  sender_name: text,
  title: text,
  url: text,
});

export interface MailUnread {
  /** Counted up to 100. */
  notice: number;
  service: number;
  /** Counted up to 100. */
  system: number;
}

export const mailUnreadShape: Shape<MailUnread> = object({
  notice: whole,
  service: whole,
  system: whole,
});

export interface MailDetailFields {
  id: string;
  kind?: 'service' | 'system' | 'notice';
}

/** `GET /api/mailMessage/detail` */
export const mailDetail: CallShape<MailDetailFields, MailRow> = describeCall(
  'GET',
  '/mailMessage/detail',
  mailRowShape,
);

export interface MailListFields {
  /** system unless said otherwise. */
  kind?: 'service' | 'system' | 'notice';
  page?: string | number;
  limit?: string | number;
}

/** `GET /api/mailMessage/getList` */
export const mailList: CallShape<
  MailListFields,
  {
    /** At most 1,000. */
    count: number;
    limit: number;
    list: MailRow[];
    page: number;
    unread: number;
  }
> = describeCall(
  'GET',
  '/mailMessage/getList',
  object({
    count: whole,
    limit: whole,
    list: list(mailRowShape),
    page: whole,
    unread: whole,
  }),
);

export interface MailReadAllFields {
  /** All of them unless said otherwise. */
  kind?: 'service' | 'system' | 'notice';
}

/** `POST /api/mailMessage/read_all` */
export const mailReadAll: CallShape<MailReadAllFields, string> = describeCall('POST', '/mailMessage/read_all', text);

export type MailUnreadFields = Record<never, never>;

/** `GET /api/mailMessage/unread` */
export const mailUnread: CallShape<MailUnreadFields, MailUnread> = describeCall(
  'GET',
  '/mailMessage/unread',
  mailUnreadShape,
);

/**
 * The kinds of order (docs/rules/spot.md "Order types"): one row says of each what the form asks for, what a buy of it locks, what is sent,
 * how the preview tells it and which rows of a list are of it. Everything else reads the table: a further kind is one
 * row, with its texts `ticket.<id>` and `ticket.<id>Note`.
 */
import type { OrderGroupsOcoFields, OrderGroupsStopFields } from '@/lib/api/schema/orderGroupsCalls';
import type { SpotPlaceFields } from '@/lib/api/schema/spotCalls';
import { Decimal, plain } from '@/lib/decimal';
import type { OrderRow } from '@/lib/market';
import { type PairRules, typed } from './rules';
import type { StepMark } from './steps';
import type { TicketSummary } from './summary';
import type { TriggerName } from './waiting';

export type Side = 'buy' | 'sell';
export type TimeInForce = NonNullable<SpotPlaceFields['tif']>;

/** Assets besides the quote asset that a purchase can be paid with. */
export type PayWith = 'USDT';

/** The fields with a price of their own. */
export type PriceField = 'price' | 'trigger' | 'stop';

/** What is entered whatever the kind is, as text. */
export interface Entered {
  side: Side;
  tif: TimeInForce;
  /** What a purchase is paid with: what it needs of the quote asset is converted from this first. Empty: it is there. */
  payWith: '' | PayWith;
  /** The limit price; of a list of two the price of the order that rests. */
  price: string;
  /** The price that triggers; where a trailing order begins to trail, empty for at once. */
  trigger: string;
  /** Percent that the price must turn back by, of a trailing order. */
  trail: string;
  /** Limit price of a list's stop; empty sells or buys at market. */
  stop: string;
}

export interface KindField {
  field: PriceField | 'trail';
  /** Its text is `ticket.<label>`. */
  label: 'price' | 'limitPrice' | 'target' | 'trigger' | 'stopTrigger' | 'activation' | 'stopLimitPrice' | 'trail';
  /** May stay empty. */
  optional?: true;
  /**
   * What an empty field starts with: the last price; a price beside it, `beyond` on the side where an order stops a
   * loss, `before` on the other; or what the trigger is.
   */
  offered?: 'last' | 'beyond' | 'before' | 'trigger';
  /** The middle of the price's band; without one the price has no band. */
  band?: 'reference' | 'trigger';
  /** What the price is for, told below it with its distance: always the same, or as side and price have it. */
  purpose?: TriggerName | 'bySide';
}

/** What the preview says of an order that waits, one after the other. */
export interface StepPlan {
  mark: StepMark;
  says: 'reached' | 'turned' | 'limit' | 'market' | 'stop' | 'oneCancels';
}

/** The fields of a product's calls that place orders: at once or at a limit, when a price is reached, one of two. */
interface CallFields {
  trade: SpotPlaceFields;
  stop: OrderGroupsStopFields;
  oco: OrderGroupsOcoFields;
}

export type PlaceCall = keyof CallFields;

/** What the order is of: the same for each call. */
type Placed = 'currency_id' | 'legal_id' | 'type';
type FieldOf<C extends PlaceCall> = C extends PlaceCall ? keyof CallFields[C] : never;

/** What a call is sent besides; one without a value is left out. A field of another call is none of it. */
export type Sent<C extends PlaceCall> = {
  [F in keyof CallFields[C] as F extends Placed ? never : F]: CallFields[C][F] | undefined;
} & { [F in Exclude<FieldOf<PlaceCall>, keyof CallFields[C]>]?: never };

/** All fields of one of the calls. */
export type OrderFields<C extends PlaceCall = PlaceCall> = C extends PlaceCall
  ? Pick<CallFields[C], Placed> & Sent<C>
  : never;

type Lock = (at: Decimal | undefined) => Decimal | undefined;

interface KindRow<C extends PlaceCall> {
  /** In the order of the form; none for an order that asks for no price. */
  fields: readonly KindField[];
  /** `follows` from price and amount; a buy may name it (`spent`) instead of its amount; else there is none. */
  total: 'follows' | 'spent' | 'none';
  /** How long it stays can be chosen. */
  tif: boolean;
  /** Takes what the book has now and leaves nothing in it. */
  atMarket: boolean;
  /** It, or one of the two, waits for a price. */
  waits: boolean;
  /** Two orders around the last price: the first rests, the second waits, one cancels the other. */
  pair: boolean;
  /**
   * Quote that a buy locks for one unit of base. `price` is the best ask for an order at market, the reference for one
   * that trails from now on; `protectedBy` adds what an order at market may cost more. undefined while one is missing.
   */
  locks(entered: Entered, price: Decimal | undefined, protectedBy: Lock): Decimal | undefined;
  /** Which of a product's calls places it. */
  call: C;
  sends(entered: Entered, summary: TicketSummary): Sent<C>;
  steps: readonly StepPlan[];
  /** Whether an order of a list is of this kind; what is only ever a list of two has no such order. */
  is?(order: Pick<OrderRow, 'order_type' | 'trigger' | 'trail'>): boolean;
}

export type Kind = { [C in PlaceCall]: KindRow<C> }[PlaceCall];

const TRIGGER = { field: 'trigger', label: 'trigger', offered: 'beyond', purpose: 'bySide' } as const;
/** A sale pays with what it sells. */
const paysWith = ({ side, payWith }: Entered) => (side === 'buy' ? payWith || undefined : undefined);

const ALONE = { tif: false, atMarket: false, pair: false } as const;

/** Without a price the order is at market, without a trigger it trails at once. */
const waitingParams = (_: Entered, { amount, price, waiting }: TicketSummary): Sent<'stop'> => ({
  amount: plain(amount),
  trigger_price: plain(waiting?.trigger),
  target_price: plain(price),
  trigger: waiting?.name,
  trail: plain(waiting?.trailPercent),
});

export const KINDS = {
  limit: {
    ...ALONE,
    fields: [{ field: 'price', label: 'price', offered: 'last', band: 'reference' }],
    total: 'follows',
    tif: true,
    waits: false,
    locks: ({ price }) => typed(price),
    call: 'trade',
    sends: (entered, { amount, price }): Sent<'trade'> => ({
      order_type: 'limit',
      amount: plain(amount),
      target_price: plain(price),
      tif: entered.tif,
      pay_with: paysWith(entered),
    }),
    steps: [],
    is: ({ order_type, trigger }) => !trigger && order_type === 'limit',
  },
  market: {
    ...ALONE,
    fields: [],
    total: 'spent',
    atMarket: true,
    waits: false,
    locks: (_, price, protectedBy) => protectedBy(price),
    call: 'trade',
    sends: (entered, { amount, spend }): Sent<'trade'> => ({
      order_type: 'market',
      amount: plain(amount),
      quote_amount: plain(spend),
      pay_with: paysWith(entered),
    }),
    steps: [],
    is: ({ order_type, trigger }) => !trigger && order_type === 'market',
  },
  stopLimit: {
    ...ALONE,
    fields: [TRIGGER, { field: 'price', label: 'limitPrice', offered: 'trigger', band: 'trigger' }],
    total: 'follows',
    waits: true,
    locks: ({ price }) => typed(price),
    call: 'stop',
    sends: waitingParams,
    steps: [
      { mark: 'when', says: 'reached' },
      { mark: 'then', says: 'limit' },
    ],
    is: ({ order_type, trigger, trail }) => Boolean(trigger) && !trail && order_type === 'limit',
  },
  stopMarket: {
    ...ALONE,
    fields: [TRIGGER],
    total: 'none',
    waits: true,
    locks: ({ trigger }, _, protectedBy) => protectedBy(typed(trigger)),
    call: 'stop',
    sends: waitingParams,
    steps: [
      { mark: 'when', says: 'reached' },
      { mark: 'then', says: 'market' },
    ],
    is: ({ order_type, trigger, trail }) => Boolean(trigger) && !trail && order_type === 'market',
  },
  trailing: {
    ...ALONE,
    fields: [
      { field: 'trail', label: 'trail' },
      { field: 'trigger', label: 'activation', optional: true },
    ],
    total: 'none',
    waits: true,
    locks: ({ trail, trigger }, price, protectedBy) => {
      const distance = typed(trail);
      return distance && protectedBy((typed(trigger) ?? price)?.times(distance.div(100).plus(1)));
    },
    call: 'stop',
    sends: waitingParams,
    steps: [
      { mark: 'when', says: 'reached' },
      { mark: 'when', says: 'turned' },
      { mark: 'then', says: 'market' },
    ],
    is: ({ trigger, trail }) => Boolean(trigger) && Boolean(trail),
  },
  oco: {
    ...ALONE,
    fields: [
      { field: 'price', label: 'target', offered: 'before', band: 'reference', purpose: 'take_profit' },
      { field: 'trigger', label: 'stopTrigger', offered: 'beyond', purpose: 'stop_loss' },
      { field: 'stop', label: 'stopLimitPrice', optional: true, band: 'trigger' },
    ],
    total: 'none',
    waits: true,
    pair: true,
    // The two lock once, for the dearer of them.
    locks: (entered, _, protectedBy) => {
      const [limit, stop] = [typed(entered.price), typed(entered.stop) ?? protectedBy(typed(entered.trigger))];
      return limit && stop && Decimal.max(limit, stop);
    },
    call: 'oco',
    sends: (_, { amount, price, waiting }): Sent<'oco'> => ({
      amount: plain(amount),
      trigger_price: plain(waiting?.trigger),
      target_price: plain(price),
      stop_price: plain(waiting?.stopPrice),
    }),
    steps: [
      { mark: 'now', says: 'limit' },
      { mark: 'or', says: 'reached' },
      { mark: 'then', says: 'stop' },
      { mark: 'end', says: 'oneCancels' },
    ],
  },
} satisfies Record<string, Kind>;

export type OrderKind = keyof typeof KINDS;

export const ORDER_KINDS = Object.keys(KINDS) as OrderKind[];

export const kindOf = ({ kind }: { kind: OrderKind }): Kind => KINDS[kind];

export function asks(kind: Kind, field: KindField['field']): boolean {
  return kind.fields.some((row) => row.field === field);
}

/** The kind of an order of a list, in the ticket's words. Its part in a list of two is said by the list. */
export function kindOfRow(order: Pick<OrderRow, 'order_type' | 'trigger' | 'trail'>): OrderKind {
  return ORDER_KINDS.find((kind) => kindOf({ kind }).is?.(order)) ?? order.order_type;
}

/** A price must be entered before anything can be judged; a trailing order may do without. */
export function lacksPrice(ticket: Entered & { kind: OrderKind }): boolean {
  return kindOf(ticket).fields.some(({ field, optional }) => field !== 'trail' && !optional && ticket[field] === '');
}

/** See `Kind.locks`; with what is locked for the fee. */
export function lockPerUnit(
  ticket: Entered & { kind: OrderKind },
  { protection, lockFee }: Pick<PairRules, 'protection' | 'lockFee'>,
  price: Decimal | undefined,
): Decimal | undefined {
  const lock = kindOf(ticket).locks(ticket, price, (at) => at?.times(protection.plus(1)));
  return lock?.times(lockFee.plus(1));
}

/** Can be paid with another asset than the quote asset. */
export const paysOther = (ticket: Entered & { kind: OrderKind }): boolean =>
  paysWith(ticket) !== undefined && kindOf(ticket).call === 'trade';

/** Waits for the open while the market is closed. */
export const isQueueable = ({ kind, tif }: Entered & { kind: OrderKind }): boolean =>
  kind === 'limit' && (tif === 'GTC' || tif === 'DAY');

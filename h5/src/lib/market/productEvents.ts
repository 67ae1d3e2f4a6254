/**
 * The private events of the products. A file of `events` is found by its place: it declares its events among
 * `ProductEvents` (types.ts) and exports how each is read and what it changes.
 */
import type { AccountState } from './account';
import type { PrivateEvent, ProductEvent, ProductEvents } from './types';

interface EventKind<F> {
  /** The event's fields, of the frame's data; undefined when it is not like one. */
  read(data: unknown): F | undefined;
  /** Told without a number: what is at the moment, between the facts; `sometimes`: a fact may tell it as well. */
  unnumbered?: true | 'sometimes';
  /** What it changes of what is known of the account; nothing without it. */
  apply?(state: AccountState, event: F): AccountState;
}

export type EventKinds<N extends keyof ProductEvents> = { [K in N]: EventKind<ProductEvents[K]> };

const files = import.meta.glob<Record<string, EventKind<object>>>(['./events/*.ts', '!./events/*.test.ts'], {
  eager: true,
  import: 'events',
});
const kinds = new Map(Object.values(files).flatMap((file) => Object.entries(file)));

/** An event of a product that only a newer server has is told as such; undefined when it is not like its kind. */
export function productEvent(event: string, seq: number | undefined, data: unknown): PrivateEvent | undefined {
  const kind = kinds.get(event);
  if (seq === undefined ? !kind?.unnumbered : kind?.unnumbered === true) return undefined;
  if (!kind) return seq === undefined ? undefined : { event: 'other', seq, unknown: [event] };
  const fields = kind.read(data);
  return fields && ({ event, seq, ...fields } as ProductEvent);
}

export function applyProduct(state: AccountState, event: ProductEvent): AccountState {
  return kinds.get(event.event)?.apply?.(state, event) ?? state;
}

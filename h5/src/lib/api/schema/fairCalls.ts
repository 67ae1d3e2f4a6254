// Made by `npm run schema` from app-calls.json, the document that the server makes of its calls.
import { type CallShape, describeCall, list, object, oneOf, type Shape, text, whole } from '../shape';
import { type ArchivedTick, archivedTickShape } from './shared';

export interface TickKey {
  key: string;
  kind: 'ed25519';
}

export const tickKeyShape: Shape<TickKey> = object({
  key: text,
  kind: oneOf('ed25519'),
});

export interface TickRoot {
  first_tick: number;
  hour: number;
  key: string;
  last_hash: string;
  last_tick: number;
  price: number;
  /** Over the hashes of all ticks of the hour. */
  root: string;
  signature: string;
  /** The bytes that are signed. */
  statement: string;
  symbol: string;
}

export const tickRootShape: Shape<TickRoot> = object({
  first_tick: whole,
  hour: whole,
  key: text,
  last_hash: text,
  last_tick: whole,
  price: whole,
  root: text,
  signature: text,
  statement: text,
  symbol: text,
});

export interface TickSlice {
  /** Hash of the tick before the first one. */
  previous: string;
  price: number;
  symbol: string;
  ticks: ArchivedTick[];
}

export const tickSliceShape: Shape<TickSlice> = object({
  previous: text,
  price: whole,
  symbol: text,
  ticks: list(archivedTickShape),
});

export type FairKeyFields = Record<never, never>;

/** `GET /api/fair/key` */
export const fairKey: CallShape<FairKeyFields, TickKey> = describeCall('GET', '/fair/key', tickKeyShape);

export interface FairRootsFields {
  /** As BTC/USDT. */
  symbol: string;
  /** Hours since 1970, UTC. */
  hour: string | number;
}

/** `GET /api/fair/roots` */
export const fairRoots: CallShape<FairRootsFields, TickRoot> = describeCall('GET', '/fair/roots', tickRootShape);

export interface FairTicksFields {
  /** As BTC/USDT. */
  symbol: string;
  /** Number of the first tick. */
  from: string | number;
  /** Number of the last tick; 8,192 ticks at most. */
  to: string | number;
}

/** `GET /api/fair/ticks` */
export const fairTicks: CallShape<FairTicksFields, TickSlice> = describeCall('GET', '/fair/ticks', tickSliceShape);

// Made by `npm run schema` from app-calls.json, the document that the server makes of its calls.
import {
  type CallShape,
  type Dec,
  decimal,
  describeCall,
  either,
  list,
  nothing,
  object,
  oneOf,
  type Shape,
  text,
  whole,
} from '../shape';

export interface ReservedAsset {
  /** Null for the chain's own coin. */
  contract: string | null;
  currency: number;
  currency_name: string;
  held: Dec;
  network: string;
}

export const reservedAssetShape: Shape<ReservedAsset> = object({
  contract: either(text, nothing),
  currency: whole,
  currency_name: text,
  held: decimal,
  network: text,
});

export interface ReserveStatement {
  addresses: number;
  assets: ReservedAsset[];
  chain: 'bitcoin' | 'evm';
  /** Null for Bitcoin. */
  chain_id: number | null;
  /** Where the file is, on the same origin. */
  file: string;
  /** Of the block. */
  hash: string;
  height: number;
  id: string;
  name: string;
  time_ms: number;
}

export const reserveStatementShape: Shape<ReserveStatement> = object({
  addresses: whole,
  assets: list(reservedAssetShape),
  chain: oneOf('bitcoin', 'evm'),
  chain_id: either(whole, nothing),
  file: text,
  hash: text,
  height: whole,
  id: text,
  name: text,
  time_ms: whole,
});

export interface Reserves {
  /** Newest first. */
  statements: ReserveStatement[];
}

export const reservesShape: Shape<Reserves> = object({
  statements: list(reserveStatementShape),
});

export type PorReservesFields = Record<never, never>;

/** `GET /api/por/reserves` */
export const porReserves: CallShape<PorReservesFields, Reserves> = describeCall('GET', '/por/reserves', reservesShape);

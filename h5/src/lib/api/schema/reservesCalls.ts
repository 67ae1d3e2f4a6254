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
  /** Of a token. */
  contract: string | null;
  currency_name: string;
  held: Dec;
  network: string;
}

export const reservedAssetShape: Shape<ReservedAsset> = object({
  contract: either(text, nothing),
  currency_name: text,
  held: decimal,
  network: text,
});

export interface ReserveStatement {
  /** Addresses that hold something. */
  addresses: number;
  assets: ReservedAsset[];
  chain: 'bitcoin' | 'evm';
  /** Of an EVM chain. */
  chain_id: number | null;
  /** The path of the statement's file: addresses, amounts, signatures. */
  file: string;
  /** Of that block. */
  hash: string;
  /** What is stated holds after this block. */
  height: number;
  /** What each address signed, in hex. */
  id: string;
  /** The chain's name. */
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
  /** Newest first, 30 of a chain at most. */
  statements: ReserveStatement[];
}

export const reservesShape: Shape<Reserves> = object({
  statements: list(reserveStatementShape),
});

export type ReservesReservesFields = Record<never, never>;

/** `GET /api/por/reserves` */
export const reservesReserves: CallShape<ReservesReservesFields, Reserves> = describeCall(
  'GET',
  '/por/reserves',
  reservesShape,
);

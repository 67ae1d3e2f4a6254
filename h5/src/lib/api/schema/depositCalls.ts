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

export interface Deposit {
  amount: Dec;
  created_at: string;
  created_at_ms: number;
  currency_id: number;
  /** Always 0. */
  give: Dec;
  height: number;
  id: string;
  /** collected: small ones that were kept are credited together. */
  kind: 'credited' | 'small' | 'coinbase' | 'collected';
  name: string;
  network: string;
  /** Order number. */
  oid: string;
  output: number | null;
  remark: string;
  /** 1: kept until it is enough; 2: credited. */
  status: number;
  txid: string | null;
  /** The address; empty of one that is not known any more. */
  user_account: string;
}

export const depositShape: Shape<Deposit> = object({
  amount: decimal,
  created_at: text,
  created_at_ms: whole,
  currency_id: whole,
  give: decimal,
  height: whole,
  id: text,
  kind: oneOf('credited', 'small', 'coinbase', 'collected'),
  name: text,
  network: text,
  oid: text,
  output: either(whole, nothing),
  remark: text,
  status: whole,
  txid: either(text, nothing),
  user_account: text,
});

export interface DepositPage {
  current_page: number;
  data: Deposit[];
  last_page: number;
  limit: number;
  page: number;
  pages: number;
  per_page: number;
  total: number;
}

export const depositPageShape: Shape<DepositPage> = object({
  current_page: whole,
  data: list(depositShape),
  last_page: whole,
  limit: whole,
  page: whole,
  pages: whole,
  per_page: whole,
  total: whole,
});

export interface PendingDeposit {
  amount: Dec;
  /** So many blocks it has by now, its own among them. */
  confirmations: number;
  currency: number;
  currency_name: string;
  /** Of its block. */
  height: number;
  /** With so many, or about so many, it is credited. */
  needed: number;
  network: string;
  /** Of a transfer of an EVM chain: 0 the coin's, else one more than its log's number. */
  output: number;
  /** Less than the least that is credited: it is kept until the address has received as much. */
  small: boolean;
  txid: string;
}

export const pendingDepositShape: Shape<PendingDeposit> = object({
  amount: decimal,
  confirmations: whole,
  currency: whole,
  currency_name: text,
  height: whole,
  needed: whole,
  network: text,
  output: whole,
  small: flag,
  txid: text,
});

export interface DepositAddress {
  address: string;
  /** How many it may have. */
  most: number;
  /** Which of the account's addresses, from 1 on. */
  n: number;
  network: string;
}

export const depositAddressShape: Shape<DepositAddress> = object({
  address: text,
  most: whole,
  n: whole,
  network: text,
});

export interface NetworkWithdrawals {
  /** Of an account of the basic tier, 24 hours. */
  daily_limit: Dec;
  /** Of one of the advanced tier. */
  daily_limit_advanced: Dec;
  fee: Dec;
  max: Dec;
  /** What leaves the wallet at least, the fee among it. */
  min: Dec;
  state: 'open' | 'closed' | 'halted' | 'behind';
  /** By the places of the asset on the chain, as 0.000001. */
  step: Dec;
}

export const networkWithdrawalsShape: Shape<NetworkWithdrawals> = object({
  daily_limit: decimal,
  daily_limit_advanced: decimal,
  fee: decimal,
  max: decimal,
  min: decimal,
  state: oneOf('open', 'closed', 'halted', 'behind'),
  step: decimal,
});

export interface DepositNetwork {
  /** Addresses that one account may have. */
  addresses: number;
  /** Blocks after which a deposit is credited; about so many where the chain says itself what is final. */
  confirmations: number;
  currency: number;
  currency_name: string;
  /** What is credited at least; less is kept until the address has received as much. */
  min_deposit: Dec;
  /** The chain by its coin; of its tokens as ERC20. One row an asset and chain. */
  network: string;
  /** behind: the chain is not read now; what comes is credited later. */
  state: 'open' | 'halted' | 'behind';
  /** Of the chain. */
  title: string;
  /** Null when coins cannot be withdrawn over it. */
  withdraw: NetworkWithdrawals | null;
}

export const depositNetworkShape: Shape<DepositNetwork> = object({
  addresses: whole,
  confirmations: whole,
  currency: whole,
  currency_name: text,
  min_deposit: decimal,
  network: text,
  state: oneOf('open', 'halted', 'behind'),
  title: text,
  withdraw: either(networkWithdrawalsShape, nothing),
});

export interface DepositHistoryFields {
  page?: string | number;
  limit?: string | number;
}

/** `GET /api/recharge/log` */
export const depositHistory: CallShape<DepositHistoryFields, DepositPage> = describeCall(
  'GET',
  '/recharge/log',
  depositPageShape,
);

export type DepositPendingFields = Record<never, never>;

/** `GET /api/recharge/pending` */
export const depositPending: CallShape<DepositPendingFields, PendingDeposit[]> = describeCall(
  'GET',
  '/recharge/pending',
  list(pendingDepositShape),
);

export interface DepositAddressesFields {
  currency: string | number;
  /** The only one of the asset unless said otherwise. */
  network?: string;
}

/** `GET /api/wallet/addresses` */
export const depositAddresses: CallShape<DepositAddressesFields, DepositAddress[]> = describeCall(
  'GET',
  '/wallet/addresses',
  list(depositAddressShape),
);

export interface DepositAddressFields {
  currency: string | number;
  /** The only one of the asset unless said otherwise. */
  network?: string;
}

/** `POST /api/wallet/get_in_address` */
export const depositAddress: CallShape<DepositAddressFields, string> = describeCall(
  'POST',
  '/wallet/get_in_address',
  text,
);

export interface DepositNetworksFields {
  /** Of this asset only. */
  currency?: string | number;
}

/** `GET /api/wallet/networks` */
export const depositNetworks: CallShape<DepositNetworksFields, DepositNetwork[]> = describeCall(
  'GET',
  '/wallet/networks',
  list(depositNetworkShape),
);

export interface DepositNewAddressFields {
  currency: string | number;
  /** The only one of the asset unless said otherwise. */
  network?: string;
}

/** `POST /api/wallet/new_address` */
export const depositNewAddress: CallShape<DepositNewAddressFields, DepositAddress> = describeCall(
  'POST',
  '/wallet/new_address',
  depositAddressShape,
);

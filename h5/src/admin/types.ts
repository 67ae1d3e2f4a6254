/** What the back office's calls tell. */

export interface Session {
  id: number;
  name: string;
  /** As votes and the audit name the person. */
  signs: string;
  role: string;
  account: number | null;
  ends_ms: number;
  /** What a change brings besides the cookie. */
  word: string;
  may: string[];
}

export interface Withdrawal {
  withdrawal: number;
  chain: string;
  account: number;
  asset_name: string;
  number: string;
  fee: string;
  address: string;
  inside: number | null;
  flags: string[];
  needed: number;
  agreed: string[];
  state: string;
  plan: number | null;
  requested_ms: number;
}

export interface Attempt {
  attempt: number;
  fee_units: string;
  inputs: number;
  payments: number;
  at_ms: number;
  txid: string | null;
  signed_ms: number | null;
}

export interface AuditRow {
  id: number;
  at_ms: number;
  actor: string;
  action: string;
  subject: string;
  detail: Record<string, unknown> | string;
  ip: string;
  hash: string;
}

export interface WithdrawalDetail extends Withdrawal {
  txid: string | null;
  timeline: { state: string; at_ms: number }[];
  attempts: Attempt[];
  notes: AuditRow[];
  now_ms: number;
  own: boolean;
  me: string;
}

export interface Reserve {
  height: number;
  held_units: string;
  found_units: string;
  besides_units: string;
  at_ms: number;
}

export interface Chain {
  chain: number;
  name: string;
  halted: string | null;
  height: number | null;
  node_height: number | null;
  seen_ms: number | null;
  is_read: boolean;
  confirmations: number;
  addresses: number;
  held_units: string;
  decimals: number;
  trouble: string | null;
  withdrawals_trouble: string | null;
  /** The last time since the start that our coins were looked up at the node. */
  reserve: Reserve | null;
  check_wanted: boolean;
  check_trouble: string | null;
  credited: number;
  paid: number;
  pending: number;
  approved: number;
}

export interface Deposit {
  id: string;
  chain: string;
  account: number;
  asset_name: string;
  amount: string;
  kind: string;
  height: number;
  confirmations: number | null;
  txid: string | null;
  at_ms: number;
}

export interface Case {
  case: number;
  kind: string;
  subject: string;
  state: 'proposed' | 'approved' | 'refused' | 'expired';
  proposed_by: string | null;
  proposed_ms: number;
  proposed_reason: string;
  expires_ms: number;
  decided_by: string | null;
  decided_ms: number | null;
  decided_reason: string | null;
}

export interface VerificationRow {
  case: number;
  account: number;
  level: 1 | 2;
  state: 'waiting' | 'passed' | 'failed';
  /** Dialling code; of pictures none in the list, the document's in the detail. */
  country: string | null;
  id_type: 0 | 1 | 2 | null;
  submitted_ms: number;
  reviewer: string | null;
  leased_until_ms: number | null;
  decided_by: string | null;
  decided_ms: number | null;
  reason: string | null;
  note: string | null;
}

export type Side = 'front' | 'reverse';

export interface VerificationDetail extends VerificationRow {
  /** Name and number are masked, unless who asks reviews it; none of pictures whose document does not stand any more. */
  name: string | null;
  number: string | null;
  pictures: Side[];
  same_document: number[];
  notes: AuditRow[];
  mine: boolean;
}

export interface Revocation {
  case: number;
  account: number;
  /** What the account falls back to. */
  tier: 'unverified' | 'basic';
  state: Case['state'];
  proposed_by: string;
  proposed_ms: number;
  proposed_reason: string;
  expires_ms: number;
  decided_by: string | null;
  decided_ms: number | null;
  decided_reason: string | null;
}

export interface Verifications {
  rows: VerificationRow[];
  waiting: number;
  revocations: Revocation[];
  now_ms: number;
  me: string;
}

export interface User {
  account: number;
  email: string | null;
  phone: string | null;
  nickname: string;
  created_ms: number;
}

export interface UserDetail extends User {
  status: string;
  paused_until_ms: number;
  sessions: { ip: string; last_seen_ms: number }[];
  may_show: boolean;
  balances: { wallet: string; asset: string; available: string; locked: string }[];
  locks: { what: string; count?: number; withdrawal?: number; asset?: string; amount?: string }[];
}

export interface Person {
  id: number;
  name: string;
  signs: string;
  role: string;
  account: number | null;
  created_ms: number;
  enrolled: boolean;
  disabled: boolean;
}

/** What a passkey is to sign. */
export interface ToSign {
  challenge: string;
  statement: string;
  digest: string;
  options: SignOptions;
}

export interface SignOptions {
  challenge: string;
  rpId: string;
  allowCredentials: { type: 'public-key'; id: string }[];
  userVerification: UserVerificationRequirement;
  timeout: number;
}

export interface CreateOptions {
  challenge: string;
  rp: { id: string; name: string };
  user: { id: string; name: string; displayName: string };
  pubKeyCredParams: { type: 'public-key'; alg: number }[];
  authenticatorSelection: AuthenticatorSelectionCriteria;
  attestation: AttestationConveyancePreference;
  timeout: number;
}

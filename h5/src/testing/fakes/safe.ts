/** What protects the fake's one account: an authenticator whose codes are fixed, passkeys, recovery codes, proofs. */

import type { Challenge, Factor } from '../../lib/api/schema/safeCalls';
import type { UserSession } from '../../lib/api/schema/sessionsCalls';
import { PASSWORD, Refusal, timeText } from './call.ts';

/** What the authenticator shows, and what it shows after that. */
export const CODES = ['111111', '222222'] as const;
export const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
/** What passkeys are asked to sign; a fake looks at the name alone. */
export const CREDENTIAL = 'AAAAAAAAAAAAAAAAAAAAAA';
const AGENTS = [
  'Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0',
  'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36',
];
const RECOVERY = Array.from({ length: 10 }, (_, n) => `aaaaa-bbbb${'cdefghjkmn'[n]}`);

export class FakeSafe {
  readonly #now: () => number;
  readonly #nextId: () => number;
  /** Of payments; that of the login until it is set. */
  payPassword = PASSWORD;
  mailPhrase: string | null = null;
  isLocked = false;
  sessions: UserSession[];
  factors: Factor[] = [];
  recovery: string[] = [];
  waiting: number | null = null;
  /** Challenges by name, with what is wanted; proofs likewise. */
  readonly #challenges = new Map<string, string>();
  readonly #proofs = new Map<string, string>();

  constructor(now: () => number, nextId: () => number) {
    this.#now = now;
    this.#nextId = nextId;
    this.sessions = [3, 900, 86_400].map((seconds, n) => this.#session(n + 1, seconds));
  }

  #session(id: number, seconds: number): UserSession {
    const [begun, seen] = [this.#now() - 90 * 86_400_000, this.#now() - seconds * 1000];
    return {
      id,
      ip: `198.51.100.${id}`,
      agent: AGENTS[id % AGENTS.length] ?? '',
      created_at: timeText(begun),
      created_at_ms: begun,
      last_seen: timeText(seen),
      last_seen_ms: seen,
      current: id === 1,
    };
  }

  get hasFactor(): boolean {
    return this.factors.length > 0;
  }

  #has(kind: Factor['kind']): boolean {
    return this.factors.some((factor) => factor.kind === kind);
  }

  get methods(): Challenge['methods'] {
    if (!this.hasFactor) return ['pay_password'];
    return [
      ...(this.#has('passkey') ? (['passkey'] as const) : []),
      ...(this.#has('totp') ? (['totp'] as const) : []),
      ...(this.recovery.length > 0 ? (['recovery'] as const) : []),
    ];
  }

  #factor(id: number, kind: Factor['kind'], label: string): Factor {
    const now = this.#now();
    return { id, kind, label, created_at: timeText(now), created_at_ms: now };
  }

  /** The recovery codes of a first factor. */
  addPasskey(label = '', id = this.#nextId()): { id: number; recovery_codes: string[] } {
    const isFirst = !this.hasFactor;
    this.factors.push(this.#factor(id, 'passkey', label));
    if (isFirst) this.recovery = [...RECOVERY];
    return { id, recovery_codes: isFirst ? RECOVERY : [] };
  }

  /** An authenticator is in use. */
  turnOn(id = this.#nextId()): string[] {
    this.factors = [...this.factors.filter(({ kind }) => kind !== 'totp'), this.#factor(id, 'totp', '')];
    this.recovery = [...RECOVERY];
    this.waiting = null;
    return RECOVERY;
  }

  remove(id: string): void {
    this.factors = this.factors.filter((factor) => String(factor.id) !== id);
    if (!this.hasFactor) this.recovery = [];
  }

  /** What any passkey of the site signs. */
  get anyPasskey() {
    return {
      challenge: CREDENTIAL,
      rpId: 'localhost',
      allowCredentials: [] as { type: string; id: string }[],
      userVerification: 'required',
      timeout: 120_000,
    };
  }

  challenge(wanted: string) {
    const challenge_id = `challenge-${this.#nextId()}`;
    this.#challenges.set(challenge_id, wanted);
    const passkey = this.#has('passkey')
      ? { ...this.anyPasskey, allowCredentials: [{ type: 'public-key', id: CREDENTIAL }] }
      : null;
    return { challenge_id, methods: this.methods, expire_at_ms: this.#now() + 300_000, passkey };
  }

  /** Spends a code of the authenticator, a recovery code or a signature. */
  spend(method?: string, code = '', assertion = '{}'): void {
    if (method === undefined) throw new Refusal(1022, 'Please confirm this action');
    if (method === 'passkey') {
      if ((JSON.parse(assertion) as { credential?: string }).credential === CREDENTIAL) return;
      throw new Refusal(1008, 'Verification code error');
    }
    const dashed = `${code.slice(0, 5)}-${code.slice(5)}`.toLowerCase();
    const right = method === 'totp' ? code === CODES[0] : this.recovery.includes(dashed);
    if (!right) throw new Refusal(1008, 'Verification code error');
    this.recovery = this.recovery.filter((other) => other !== dashed);
  }

  /** What the challenge was about, once the answer is right. */
  answer({ challenge_id = '', method, code, assertion }: Record<string, string>): string {
    const wanted = this.#challenges.get(challenge_id);
    if (wanted === undefined) throw new Refusal(1008, 'Verification code error');
    this.spend(method, code, assertion);
    this.#challenges.delete(challenge_id);
    return wanted;
  }

  /** What a challenge to make a passkey was named. */
  begun(challenge = ''): string {
    const label = this.#challenges.get(challenge);
    if (label === undefined) throw new Refusal(1008, 'Verification code error');
    this.#challenges.delete(challenge);
    return label;
  }

  prove(params: Record<string, string>) {
    const proof = `proof-${this.#nextId()}`;
    this.#proofs.set(proof, this.answer(params));
    return { proof, expire_at_ms: this.#now() + 300_000 };
  }

  /** Refuses without a proof or, while no second factor is in use, the password. */
  confirms(wanted: string, { proof, pay_password }: Readonly<Record<string, string | undefined>>): void {
    if (this.hasFactor) this.needs(wanted, proof);
    else if (pay_password !== this.payPassword) throw new Refusal(1010, 'Incorrect payment password');
  }

  /** Refuses without a proof of what is wanted. */
  needs(wanted: string, proof = ''): void {
    const proved = this.#proofs.get(proof);
    this.#proofs.delete(proof);
    if (proved !== wanted) throw new Refusal(1022, 'Please confirm this action');
  }
}

const SUBJECT = [
  'id',
  'label',
  'kind',
  'public_key',
  'scopes',
  'ips',
  'currency',
  'network',
  'address',
  'number',
  'on',
  'email',
  'area_code',
  'mobile',
  'phrase',
  'real_name',
  'bank_name',
  'bank_account',
  'bank_dizhi',
  'province_city',
  'alipay_account',
  'aba_number',
  'wechat_nickname',
  'swift_code',
  'wechat_account',
  'cardholder_address',
  'bank_branch',
  'branch_network',
  'phone',
  'data',
];

/** An action and its subject as one text. */
export const wantedOf = (action: string, params: Record<string, string>): string =>
  JSON.stringify([action, ...SUBJECT.map((name) => params[name] ?? null)]);

/** What protects the fake's one account: an authenticator whose codes are fixed, recovery codes, proofs. */
import type { Factor } from '../../lib/api/schema/safeCalls';
import { PASSWORD, Refusal, timeText } from './call.ts';

/** What the authenticator shows, and what it shows after that. */
export const CODES = ['111111', '222222'] as const;
export const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const RECOVERY = Array.from({ length: 10 }, (_, n) => `aaaaa-bbbb${'cdefghjkmn'[n]}`);

export class FakeSafe {
  readonly #now: () => number;
  readonly #nextId: () => number;
  /** Of payments; that of the login until it is set. */
  payPassword = PASSWORD;
  factors: Factor[] = [];
  recovery: string[] = [];
  waiting: number | null = null;
  /** Challenges by name, with what is wanted; proofs likewise. */
  readonly #challenges = new Map<string, string>();
  readonly #proofs = new Map<string, string>();

  constructor(now: () => number, nextId: () => number) {
    this.#now = now;
    this.#nextId = nextId;
  }

  get hasFactor(): boolean {
    return this.factors.length > 0;
  }

  get methods() {
    return this.hasFactor ? (['totp', 'recovery'] as const) : (['pay_password'] as const);
  }

  /** An authenticator is in use. */
  turnOn(id = this.#nextId()): string[] {
    const now = this.#now();
    this.factors = [{ id, kind: 'totp', label: '', created_at: timeText(now), created_at_ms: now }];
    this.recovery = [...RECOVERY];
    this.waiting = null;
    return RECOVERY;
  }

  turnOff(): void {
    this.factors = [];
    this.recovery = [];
  }

  challenge(wanted: string) {
    const challenge_id = `challenge-${this.#nextId()}`;
    this.#challenges.set(challenge_id, wanted);
    return { challenge_id, methods: [...this.methods], expire_at_ms: this.#now() + 300_000 };
  }

  /** Spends a code of the authenticator or a recovery code. */
  spend(method?: string, code = ''): void {
    if (method === undefined) throw new Refusal(1022, 'Please confirm this action');
    const dashed = `${code.slice(0, 5)}-${code.slice(5)}`.toLowerCase();
    const right = method === 'totp' ? code === CODES[0] : this.recovery.includes(dashed);
    if (!right) throw new Refusal(1008, 'Verification code error');
    this.recovery = this.recovery.filter((other) => other !== dashed);
  }

  /** What the challenge was about, once the answer is right. */
  answer({ challenge_id = '', method, code }: Record<string, string>): string {
    const wanted = this.#challenges.get(challenge_id);
    if (wanted === undefined) throw new Refusal(1008, 'Verification code error');
    this.spend(method, code);
    this.#challenges.delete(challenge_id);
    return wanted;
  }

  prove(params: Record<string, string>) {
    const proof = `proof-${this.#nextId()}`;
    this.#proofs.set(proof, this.answer(params));
    return { proof, expire_at_ms: this.#now() + 300_000 };
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
];

/** An action and its subject as one text. */
export const wantedOf = (action: string, params: Record<string, string>): string =>
  JSON.stringify([action, ...SUBJECT.map((name) => params[name] ?? null)]);

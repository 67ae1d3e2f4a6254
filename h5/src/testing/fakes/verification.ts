/** Who the account belongs to: what was handed in, what became of it, the codes that bind an e-mail address and a phone. */
import type { UserInfo } from '../../lib/api/schema/userCalls';
import type { Verification } from '../../lib/api/schema/verificationCalls';
import { areasIn } from '../../lib/areas';
import { Refusal, timeText } from './call.ts';

const [NONE, WAITING, PASSED, FAILED] = [0, 1, 2, 3] as const;
type Reason = Verification['reason'];

/** Of each code that is sent. */
export const CODE = '123456';
/** A document that another user has handed in. */
export const TAKEN = 'TAKEN0001';

const LIMITS: Verification['limits'] = [
  { network: 'BTC', name: 'BTC', basic: '2', advanced: '50' },
  { network: 'TRC20', name: 'USDT', basic: '50000', advanced: '1000000' },
];

interface Context {
  now(): number;
  user(): UserInfo;
  change(fields: Partial<UserInfo>): void;
}

/** The first letter of each word stays, as the server shows names. */
const maskName = (name: string) =>
  name.replace(/\S+/g, (word) => `${word.charAt(0)}${'*'.repeat(Math.max(1, word.length - 1))}`);
const maskNumber = (text: string) => `${text.slice(0, 2)}******${text.slice(-2)}`;

export class FakeVerification {
  readonly #context: Context;
  #data: Verification['real_data'] = null;
  #basic: { reason: Reason; note: string } = { reason: '', note: '' };
  #advanced: { reason: Reason; note: string } = { reason: '', note: '' };
  pictures: string[] = [];
  limits = LIMITS;
  #uploads = 0;

  constructor(context: Context) {
    this.#context = context;
  }

  get state(): Verification {
    const user = this.#context.user();
    return {
      real_status: user.real_status,
      review_status: user.review_status,
      advanced_review_status: user.advanced_review_status,
      reason: this.#basic.reason,
      note: this.#basic.note,
      advanced_reason: this.#advanced.reason,
      advanced_note: this.#advanced.note,
      has_email: user.email !== null,
      has_phone: user.phone !== null,
      limits: this.limits,
      real_data: this.#data,
    };
  }

  upload(): string {
    this.#uploads += 1;
    const reference = `private/${String(this.#uploads).padStart(32, 'a')}`;
    this.pictures.push(reference);
    return reference;
  }

  submit(params: Record<string, string>): void {
    const user = this.#context.user();
    if (user.email === null || user.phone === null) throw new Refusal(1014, 'Please bind email and phone first');
    if (params.real_type === '2') this.#submitAdvanced(params);
    else this.#submitBasic(params);
  }

  #submitBasic({ id_type, country = '', region = '', name = '', card_id = '' }: Record<string, string>): void {
    const { review_status } = this.#context.user();
    if (review_status === WAITING || review_status === PASSED) throw new Refusal(1004, 'Submitted already');
    if (!/^[0-9A-Za-z]{6,30}$/.test(card_id)) throw new Refusal(1001, 'Parameter error', { card_id: 'wrong' });
    if (region !== '' && !areasIn('en').some((area) => area.region === region && area.code === country)) {
      throw new Refusal(1001, 'Parameter error', { region: 'wrong' });
    }
    if (card_id === TAKEN) throw new Refusal(1016, 'This document is used by another account');
    const now = this.#context.now();
    this.#data = {
      id_type: Number(id_type) as 0 | 1 | 2,
      country,
      region,
      name: maskName(name),
      card_id: maskNumber(card_id),
      create_time: timeText(now),
      create_ms: now,
    };
    this.#context.change({ real_status: 1, review_status: WAITING, name: maskName(name) });
  }

  #submitAdvanced({ front_pic = '', reverse_pic = '' }: Record<string, string>): void {
    const { review_status, advanced_review_status: status } = this.#context.user();
    if (review_status !== PASSED) throw new Refusal(1004, 'Please complete basic verification first');
    if (status === WAITING || status === PASSED) throw new Refusal(1004, 'Submitted already');
    for (const [field, picture] of Object.entries({ front_pic, reverse_pic })) {
      if (!this.pictures.includes(picture)) throw new Refusal(1001, 'Parameter error', { [field]: 'wrong' });
    }
    this.#context.change({ real_status: 2, advanced_review_status: WAITING });
  }

  /** What a reviewer does. */
  decide(level: 1 | 2, passes: boolean, reason: Reason = '', note = ''): void {
    const status = passes ? PASSED : FAILED;
    if (level === 1) {
      this.#basic = { reason, note };
      const country = passes ? (this.#data?.region ?? '') : '';
      this.#context.change({ review_status: status, real_status: passes ? 1 : NONE, country });
    } else {
      this.#advanced = { reason, note };
      this.#context.change({ advanced_review_status: status, real_status: passes ? 2 : 1 });
    }
  }

  bindPhone({ area_code = '', mobile = '', code, old_code }: Record<string, string>): void {
    this.#check(code, old_code);
    this.#context.change({ area_code, phone: `${mobile.slice(0, 3)}****${mobile.slice(-4)}` });
  }

  bindEmail({ email = '', code, old_code }: Record<string, string>): void {
    this.#check(code, old_code);
    this.#context.change({ email });
  }

  #check(code?: string, old?: string): void {
    if (code !== CODE) throw new Refusal(1008, 'Verification code error', { code: 'wrong' });
    if (old !== CODE) throw new Refusal(1008, 'Verification code error', { old_code: 'wrong' });
  }
}

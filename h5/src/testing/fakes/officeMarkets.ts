/** The back office's calls about markets, in memory: one person halts a market or sets it to cancel-only, and proposes that it goes on. */
import type { Case, Contract, Market, Markets } from '../../admin/types';
import { type Asking, DAYS_MS, refuse } from './officeAsking';

export class FakeMarkets {
  markets: Market[] = [];
  contracts: Contract[] = [];
  cases: Case[] = [];

  answer(path: string, body: Record<string, unknown>, asking: Asking): unknown {
    const [, id = '', act = ''] = path.split('/');
    if (id === '') return this.#list(asking);
    const all: (Market | Contract)[] = [...this.markets, ...this.contracts];
    const one = all.find((own) => String(own.id) === id) ?? refuse(404, 'There is no such market.');
    if (act === 'propose-resume') return this.#propose(one, body, asking);
    if (act === 'cancel-only' && one.state === 'Halt') refuse(409, 'It is halted: two people let it go on.');
    one.state = act === 'halt' ? 'Halt' : 'CancelOnly';
    one.by_operator = true;
    return { done: true };
  }

  #list({ me }: Asking): Markets {
    return { markets: this.markets, contracts: this.contracts, funds: [], cases: this.cases, me };
  }

  #propose({ subject }: Market | Contract, { reason }: Record<string, unknown>, { me, now }: Asking) {
    const id = 600 + this.cases.length;
    this.cases.unshift({
      case: id,
      kind: 'resume market',
      subject,
      state: 'proposed',
      proposed_by: me,
      proposed_ms: now,
      proposed_reason: reason as string,
      expires_ms: now + DAYS_MS,
      decided_by: null,
      decided_ms: null,
      decided_reason: null,
    });
    return { case: id };
  }
}

/** The back office's calls about markets' parameters, in memory: a preview that counts nothing, proposals, decisions, effect dates. */
import type { Change, MarketParameters, ParameterCase, Parameters, Params, Preview } from '../../admin/parameterTypes';
import { type Asking, DAYS_MS, refuse } from './officeAsking';

export class FakeParameters {
  markets: MarketParameters[] = [];
  cases: ParameterCase[] = [];
  /** What each preview tells, besides its differences. */
  preview: Omit<Preview, 'changes' | 'needs_empty_book'> = NO_ORDERS;
  readonly #proposed = new Map<number, Params>();

  answer(path: string, body: Record<string, unknown>, asking: Asking): unknown {
    const [room, id = '', act = '', more = ''] = path.split('/');
    if (path === 'parameters') return this.#list(asking);
    if (room === 'parameters') {
      const market = this.markets.find((one) => String(one.id) === id) ?? refuse(404, 'There is no such market.');
      const params = body.params as Params;
      return act === 'preview' ? this.#preview(changes(market.params, params)) : this.#propose(market, body, asking);
    }
    const row = this.cases.find((one) => String(one.case) === id) ?? refuse(404, 'There is no such change.');
    if (act === 'preview') return this.#preview(row.terms?.changes ?? []);
    if (act === 'take-back') {
      Object.assign(row, { outcome: 'taken back', outcome_ms: asking.now });
      return { done: 'taken back' };
    }
    if (more === 'begin') return asking.begin(body, this.#toSign(row));
    return this.#decide(row, asking);
  }

  /** As the server has it: the subject is a text of all values before and after. */
  #toSign({ case: number, kind, terms, proposed_by, proposed_reason }: ParameterCase): object {
    const { changes: _, ...rest } = terms ?? refuse(409, 'Its terms cannot be read.');
    const was = this.markets.find(({ id }) => id === rest.market)?.params;
    const subject = JSON.stringify({ ...rest, was, is: this.#proposed.get(number) });
    return { case: kind, number, subject, proposed_by, proposed_reason };
  }

  #list({ me, now }: Asking): Parameters {
    return { markets: this.markets, cases: this.cases, now_ms: now, me };
  }

  #preview(told: Change[]): Preview {
    return { ...this.preview, changes: told, needs_empty_book: told.some(({ field }) => /^(tick|step)$/.test(field)) };
  }

  #propose(market: MarketParameters, body: Record<string, unknown>, { me, now }: Asking) {
    const params = body.params as Params;
    const id = 700 + this.cases.length;
    this.#proposed.set(id, params);
    this.cases.unshift({
      case: id,
      kind: 'change parameters',
      subject: market.symbol,
      state: 'proposed',
      proposed_by: me,
      proposed_ms: now,
      proposed_reason: body.reason as string,
      expires_ms: now + DAYS_MS,
      decided_by: null,
      decided_ms: null,
      decided_reason: null,
      terms: {
        market: market.id,
        symbol: market.symbol,
        version: market.version,
        effective_ms: body.effective_ms as number | null,
        changes: changes(market.params, params),
      },
      outcome: null,
      outcome_ms: null,
    });
    return { case: id };
  }

  #decide(row: ParameterCase, asking: Asking) {
    const { approves, reason } = asking.signed();
    row.state = approves ? 'approved' : 'refused';
    Object.assign(row, { decided_by: asking.me, decided_ms: asking.now, decided_reason: reason });
    if (!approves || row.terms?.effective_ms !== null) {
      return { done: `${approves ? 'approve' : 'refuse'} to ${row.kind}` };
    }
    const market = this.markets.find(({ id }) => id === row.terms?.market) ?? refuse(404, 'There is no such market.');
    market.params = this.#proposed.get(row.case) ?? market.params;
    market.version += 1;
    Object.assign(row, { outcome: 'in force', outcome_ms: asking.now });
    return { done: 'in force' };
  }
}

const NO_ORDERS = {
  since_ms: 0,
  orders: 0,
  is_all: true,
  refused: 0,
  refused_accounts: 0,
  reasons: [],
  fills: 0,
  value: '0',
  fees_was: '0',
  fees_is: '0',
  quote: 'USDT',
};

/** Parameters as texts, a fee of a level by itself. */
function texts({ fees, ...rest }: Params): Map<string, string> {
  const levels = fees.flatMap((one, level) =>
    Object.entries(one).map(([side, ppm]) => [`${side} of level ${level}`, ppm]),
  );
  return new Map([...Object.entries(rest), ...levels].map(([field, value]) => [String(field), String(value)]));
}

function changes(old: Params, next: Params): Change[] {
  const [before, after] = [texts(old), texts(next)];
  return [...new Set([...before.keys(), ...after.keys()])]
    .map((field) => ({ field, was: before.get(field) ?? '', is: after.get(field) ?? '' }))
    .filter(({ was, is }) => was !== is);
}

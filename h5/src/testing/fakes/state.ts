/** What the fake back end knows, whichever area asks: its one account (demo@example.com / demo1234), its clock. */

import type { ApiKey } from '../../lib/api/schema/apiKeysCalls';
import type { Quote } from '../../lib/api/schema/indexCalls';
import type { Favourite } from '../../lib/api/schema/marketCalls';
import type { UserInfo } from '../../lib/api/schema/userCalls';
import type { LogRow, OrderRecord } from '../../lib/api/schema/walletCalls';
import { USER } from './account.ts';
import { type FakeRequest, PASSWORD, Refusal, TOKEN } from './call.ts';
import type { FakeDesk } from './desk.ts';
import { HOLDINGS, type Holding } from './fund.ts';
import { COINS, quoteRow } from './market.ts';

export class FakeState {
  nowMs: () => number = Date.now;
  user: UserInfo = { ...USER };
  features: Record<string, boolean> = { spot: true };
  apiKeys: ApiKey[] = [];
  holdings: Holding[] = HOLDINGS.map((holding) => ({ ...holding }));
  logs: (LogRow | OrderRecord)[] = [];
  optional: Favourite[] = [];
  /** Nothing is ordered until a test opens a desk. */
  desk: FakeDesk | undefined;
  quotes: () => Quote[] = () => COINS.map((coin, index) => quoteRow(coin, index, this.nowMs()));
  readonly passwords = new Map([[USER.account_number, PASSWORD]]);
  #nextId = 999;

  nextId(): number {
    this.#nextId += 1;
    return this.#nextId;
  }

  /** Refuses who is not logged in. */
  member(request: FakeRequest): void {
    if (request.token !== TOKEN) throw new Refusal(999, 'Please log in first');
  }
}

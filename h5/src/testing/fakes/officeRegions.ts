/** The back office's calls about countries, in memory: one person bars products, and proposes what another one allows again. */

import type { Case, RegionRule, Regions } from '../../admin/types';
import { areasIn } from '../../lib/areas';
import { type Asking, DAYS_MS, refuse } from './officeAsking';

const PRODUCTS = ['spot', 'contract', 'options', 'flash_exchange', 'stocks', 'follow'];
const KNOWN = new Set(['', ...areasIn('en').map(({ region }) => region)]);

interface Wish {
  country: string;
  products: string[];
}

export class FakeRegions {
  regions: RegionRule[] = [];
  cases: Case[] = [];

  answer(path: string, body: Record<string, unknown>, asking: Asking): unknown {
    const [room, id = '', , more = ''] = path.split('/');
    if (path === 'regions') return this.#list(asking);
    if (room === 'regions') return this.#change(id, body, asking);
    const row = this.cases.find((one) => String(one.case) === id) ?? refuse(404, 'There is no such case.');
    if (more !== 'begin') return this.#decide(row, asking);
    const { case: number, kind, subject, proposed_by, proposed_reason } = row;
    return asking.begin(body, { case: kind, number, subject, proposed_by, proposed_reason });
  }

  #list({ me }: Asking): Regions {
    return { regions: this.regions, products: PRODUCTS, cases: this.cases, me };
  }

  #change(act: string, body: Record<string, unknown>, asking: Asking) {
    const { country, products } = body as unknown as Wish;
    if (!KNOWN.has(country)) refuse(400, 'There is no such country.');
    if (products.length === 0 || products.some((one) => !PRODUCTS.includes(one))) refuse(400, 'Choose a product.');
    return act === 'bar' ? this.#bar({ country, products }) : this.#propose({ country, products }, body, asking);
  }

  #barred(country: string): string[] {
    return this.regions.find((rule) => rule.country === country)?.barred ?? [];
  }

  #rule(country: string, barred: string[]): void {
    const others = this.regions.filter((rule) => rule.country !== country);
    const sorted = PRODUCTS.filter((one) => barred.includes(one));
    this.regions = sorted.length === 0 ? others : [...others, { country, barred: sorted }];
  }

  #bar({ country, products }: Wish) {
    const before = this.#barred(country);
    if (products.every((one) => before.includes(one))) refuse(409, 'It is so already.');
    this.#rule(country, [...before, ...products]);
    return { done: 'barred' };
  }

  #propose({ country, products }: Wish, { reason }: Record<string, unknown>, { me, now }: Asking) {
    const barred = this.#barred(country);
    if (products.some((one) => !barred.includes(one))) refuse(409, 'Not all of these are barred there.');
    const subject = `region:${country || 'unknown'}:${products.join(',')}`;
    const isOpen = this.cases.some((one) => one.subject === subject && one.state === 'proposed');
    if (isOpen) refuse(409, 'This is proposed already.');
    const id = 800 + this.cases.length;
    this.cases.unshift({
      case: id,
      kind: 'allow products',
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

  #decide(row: Case, asking: Asking) {
    const { approves, reason } = asking.signed();
    row.state = approves ? 'approved' : 'refused';
    Object.assign(row, { decided_by: asking.me, decided_ms: asking.now, decided_reason: reason });
    const [, key = '', products = ''] = row.subject.split(':');
    const country = key === 'unknown' ? '' : key;
    if (approves)
      this.#rule(
        country,
        this.#barred(country).filter((one) => !products.split(',').includes(one)),
      );
    return { done: `${approves ? 'approve' : 'refuse'} to ${row.kind}` };
  }
}

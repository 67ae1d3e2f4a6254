/** What is being entered: it stays from pair to pair. And what is wrong with it. Pure but for the atom. */
import type { TFunction } from 'i18next';
import { Decimal, LEDGER_DECIMALS } from '@/lib/decimal';
import { formatAmount } from '@/lib/format';
import { viewAtom } from '@/lib/state';
import type { Coin, Term } from './api/desk';

export interface Draft {
  type: 1 | 2;
  /** 0: none chosen yet. */
  seconds: number;
  stake: string;
  /** The coupon that stands for the stake; 0: none does. */
  coupon: number;
}

export const draftAtom = viewAtom<Draft>({ type: 1, seconds: 0, stake: '', coupon: 0 });

export const sideOpen = (term: Term, type: 1 | 2): boolean =>
  term.status === 1 && (type === 1 ? term.rise_open : term.fall_open);

/** The chosen duration, or the first that is open on this side. */
export function chosenTerm(terms: readonly Term[], { type, seconds }: Draft): Term | undefined {
  return terms.find((term) => term.seconds === seconds) ?? terms.find((term) => sideOpen(term, type)) ?? terms[0];
}

/** Why nothing can be entered on a side, whatever the duration; undefined when something can. */
export function sideOff(terms: readonly Term[], type: 1 | 2): 'closed' | 'full' | undefined {
  if (terms.some((term) => sideOpen(term, type))) return undefined;
  return terms.some(({ status }) => status === 1) ? 'full' : 'closed';
}

export interface Limits {
  min: Decimal;
  max: Decimal;
}

/** The coin's and the duration's, whichever is narrower. */
export const limitsOf = (term: Term, coin: Pick<Coin, 'micro_min' | 'micro_max'>): Limits => ({
  min: Decimal.max(term.min_amount, coin.micro_min),
  max: Decimal.min(term.max_amount, coin.micro_max),
});

/** The stake as a number; undefined while it is none. */
export const stakeOf = ({ stake }: Draft): Decimal | undefined =>
  /^\d+(\.\d+)?$/.test(stake) ? new Decimal(stake) : undefined;

export type Problem =
  | { code: 'missing' | 'number' | 'places' | 'insufficient' }
  | { code: 'min' | 'max'; limit: Decimal }
  | { code: 'open'; limit: number };

interface Input {
  draft: Draft;
  limits: Limits;
  /** Stake and fee. */
  cost: Decimal | undefined;
  available: Decimal;
  open: number;
  mostOpen: number;
}

export function problemOf({ draft, limits, cost, available, open, mostOpen }: Input): Problem | undefined {
  if (draft.stake === '') return { code: 'missing' };
  const stake = stakeOf(draft);
  if (!stake || !cost) return { code: 'number' };
  if (stake.decimalPlaces() > LEDGER_DECIMALS) return { code: 'places' };
  if (stake.lt(limits.min)) return { code: 'min', limit: limits.min };
  if (stake.gt(limits.max)) return { code: 'max', limit: limits.max };
  if (open >= mostOpen) return { code: 'open', limit: mostOpen };
  if (cost.gt(available)) return { code: 'insufficient' };
  return undefined;
}

export function problemText(problem: Problem, asset: string, t: TFunction<'seconds'>): string {
  switch (problem.code) {
    case 'min':
    case 'max':
      return t(`problem.${problem.code}`, { limit: formatAmount(problem.limit), asset });
    case 'open':
      return t('problem.open', { limit: problem.limit });
    default:
      return t(`problem.${problem.code}`);
  }
}

/**
 * Why a ticket cannot be sent now: a pure list, most fundamental first. The server checks everything again.
 * Rules: docs/rules/contracts.md "Tickets", "Brackets"; nothing is silently rounded.
 */
import type { TFunction } from 'i18next';
import { type Decimal, fixed, plain } from '@/lib/decimal';
import { grouped } from '@/lib/format';
import { typed } from '@/trading';
import type { Draft, PriceField, Setup, Stops } from './draft';
import type { ContractGate } from './gate';
import type { Direction } from './numbers';
import type { ContractRules, PriceSteps } from './rules';
import { type Summary, wholeLots } from './summary';

export type Problem =
  | { field: 'market'; code: Exclude<ContractGate, 'open'> }
  | { field: PriceField; code: 'priceMissing' | 'priceNumber' }
  | { field: PriceField; code: 'priceTick'; tick: string }
  | { field: PriceField; code: 'mustBeAbove' | 'mustBeBelow'; price: string }
  | { field: 'lots'; code: 'lotsMissing' | 'lotsWhole' }
  | { field: 'lots'; code: 'lotsMin' | 'lotsMax'; limit: string }
  | { field: 'lots'; code: 'valueMax'; limit: string; asset: string }
  | { field: 'lots'; code: 'insufficient'; asset: string }
  | { field: 'multiple'; code: 'multipleMax'; limit: string };

export interface ProblemInput {
  draft: Draft;
  setup: Setup;
  rules: ContractRules;
  summary: Summary;
  gate: ContractGate;
  index: Decimal | undefined;
  ownValue: Decimal;
}

export function ticketProblems(input: ProblemInput): Problem[] {
  const { gate, draft, summary, index, rules } = input;
  const found: Problem[] = gate === 'open' ? [] : [{ field: 'market', code: gate }];
  if (draft.kind === 'limit') found.push(...limitProblems(input));
  found.push(...sizeProblems(input));
  const reference = draft.kind === 'limit' ? summary.reference : index;
  if (draft.withStops) found.push(...stopProblems(draft, draft.direction, reference, rules));
  return found;
}

function priceProblem(field: PriceField, text: string, { tick }: PriceSteps): Problem[] {
  const price = typed(text);
  if (price === undefined || price.lte(0)) return [{ field, code: 'priceNumber' }];
  return price.mod(tick).isZero() ? [] : [{ field, code: 'priceTick', tick: plain(tick) }];
}

/** A price must lie on its side of another one. */
function sideProblem(field: PriceField, text: string, above: boolean, of: Decimal, places: number): Problem[] {
  const price = typed(text);
  if (!price || (above ? price.gt(of) : price.lt(of))) return [];
  return [{ field, code: above ? 'mustBeAbove' : 'mustBeBelow', price: fixed(of, places) }];
}

/** A limit is better than the index. */
function limitProblems({ draft, rules, index }: ProblemInput): Problem[] {
  if (draft.price === '') return [{ field: 'price', code: 'priceMissing' }];
  const found = priceProblem('price', draft.price, rules);
  if (found.length > 0 || !index) return found;
  return sideProblem('price', draft.price, draft.direction === 'short', index, rules.priceDecimals);
}

function sizeProblems({ draft, setup, rules, summary, ownValue }: ProblemInput): Problem[] {
  if (draft.lots === '') return [{ field: 'lots', code: 'lotsMissing' }];
  const lots = wholeLots(draft.lots);
  if (lots === undefined) return [{ field: 'lots', code: 'lotsWhole' }];
  if (lots < rules.minLots) return [{ field: 'lots', code: 'lotsMin', limit: String(rules.minLots) }];
  if (lots > rules.maxLots) return [{ field: 'lots', code: 'lotsMax', limit: String(rules.maxLots) }];
  const { opening, cap } = summary;
  if (!opening) return [];
  const asset = rules.settle;
  if (cap === undefined) {
    const limit = rules.brackets.at(-1)?.ceiling;
    return [{ field: 'lots', code: 'valueMax', limit: limit ? plain(limit) : '0', asset }];
  }
  if (setup.multiple > cap) return [{ field: 'multiple', code: 'multipleMax', limit: String(cap) }];
  if (opening.value.plus(ownValue).gt(rules.cap)) {
    return [{ field: 'lots', code: 'valueMax', limit: plain(rules.cap), asset }];
  }
  return summary.affordable ? [] : [{ field: 'lots', code: 'insufficient', asset }];
}

/** Of a position that is or will be open: a long takes its profit above the price and stops its loss below. */
export function stopProblems(
  texts: Stops,
  direction: Direction,
  reference: Decimal | undefined,
  rules: PriceSteps,
): Problem[] {
  return (['takeProfit', 'stopLoss'] as const).flatMap((field) => {
    const text = texts[field];
    if (text === '') return [];
    const found = priceProblem(field, text, rules);
    if (found.length > 0 || !reference) return found;
    const above = (field === 'takeProfit') === (direction === 'long');
    return sideProblem(field, text, above, reference, rules.priceDecimals);
  });
}

/** In the reader's language, its numbers with the reader's separators. */
export function problemText(problem: Problem, t: TFunction<['contract', 'trade']>): string {
  switch (problem.code) {
    case 'offline':
    case 'connecting':
    case 'stale':
    case 'closed':
      return t(`trade:gate.${problem.code}`);
    case 'priceMissing':
    case 'priceNumber':
      return t(`trade:problem.${problem.code}`);
    case 'insufficient':
      return t('trade:problem.insufficient', { asset: problem.asset });
    case 'priceTick':
      return t('trade:problem.priceTick', { tick: grouped(problem.tick) });
    case 'mustBeAbove':
    case 'mustBeBelow':
      return t(`contract:problem.${problem.code}`, { price: grouped(problem.price) });
    case 'lotsMin':
    case 'lotsMax':
      return t(`contract:problem.${problem.code}`, { limit: grouped(problem.limit) });
    case 'valueMax':
      return t('contract:problem.valueMax', { limit: grouped(problem.limit), asset: problem.asset });
    case 'multipleMax':
      return t('contract:problem.multipleMax', { limit: problem.limit });
    case 'lotsMissing':
    case 'lotsWhole':
      return t(`contract:problem.${problem.code}`);
  }
}

import type { TFunction } from 'i18next';
import { grouped } from '@/lib/format';
import type { Problem } from './problems';

/** A problem in the reader's language, its numbers with the reader's separators. */
export function problemText(problem: Problem, t: TFunction<'trade'>): string {
  switch (problem.code) {
    case 'offline':
    case 'connecting':
    case 'stale':
    case 'cancelOnly':
    case 'closed':
      return t(`gate.${problem.code}`);
    case 'priceTick':
      return t('problem.priceTick', { tick: grouped(problem.tick) });
    case 'priceBand':
      return t('problem.priceBand', { low: grouped(problem.low), high: grouped(problem.high) });
    case 'mustBeAbove':
    case 'mustBeBelow':
    case 'triggerAtLast':
    case 'triggerPassed':
      return t(`problem.${problem.code}`, { last: grouped(problem.last) });
    case 'amountStep':
      return t('problem.amountStep', { step: grouped(problem.step) });
    case 'amountMin':
    case 'amountMax':
    case 'notionalMin':
      return t(`problem.${problem.code}`, { limit: grouped(problem.limit), asset: problem.asset });
    case 'insufficient':
      return t('problem.insufficient', { asset: problem.asset });
    default:
      return t(`problem.${problem.code}`);
  }
}

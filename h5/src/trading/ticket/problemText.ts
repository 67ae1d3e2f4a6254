import type { TFunction } from 'i18next';
import { grouped } from '@/lib/format';
import { gateText } from './gates';
import type { Problem } from './problems';

type Translate = TFunction<['trade', 'stock']>;

/** A problem in the reader's language, its numbers with the reader's separators. */
export function problemText(problem: Problem, t: Translate): string {
  if (problem.field === 'market') return gateText(problem.code, t);
  switch (problem.code) {
    case 'priceTick':
      return t('problem.priceTick', { tick: grouped(problem.tick) });
    case 'priceStep':
      return t('stock:problem.priceStep', {
        step: grouped(problem.step),
        low: grouped(problem.low),
        high: grouped(problem.high),
      });
    case 'priceTop':
      return t('stock:problem.priceTop', { top: grouped(problem.top) });
    case 'priceBand':
      return t('problem.priceBand', { low: grouped(problem.low), high: grouped(problem.high) });
    case 'mustBeAbove':
    case 'mustBeBelow':
    case 'triggerAtLast':
    case 'triggerPassed':
      return t(`problem.${problem.code}`, { last: grouped(problem.last) });
    case 'amountStep':
      return t('problem.amountStep', { step: grouped(problem.step) });
    case 'boardLot':
      return t('stock:problem.boardLot', { lot: grouped(problem.lot) });
    case 'wholeShares':
      return t('stock:problem.wholeShares');
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

import { useTranslation } from 'react-i18next';
import { formatAmount } from '@/lib/format';
import type { WithdrawQuote } from '../api/quote';
import { leftOf, type Problem } from './amounts';

/** What is wrong with the amount, with the figure that it does not keep. */
export function useProblemText(): (problem: Problem, quote: WithdrawQuote) => string {
  const { t } = useTranslation('withdraw');
  return (problem, quote) =>
    t(`problem.${problem}`, {
      coin: quote.currency_name,
      step: formatAmount(quote.step),
      min: formatAmount(quote.min_number),
      max: formatAmount(quote.max_number),
      left: formatAmount(leftOf(quote)),
    });
}

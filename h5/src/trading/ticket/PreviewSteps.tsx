import { useTranslation } from 'react-i18next';
import type { Decimal } from '@/lib/decimal';
import { formatAmount, formatPrice } from '@/lib/format';
import css from './PreviewSteps.module.css';
import type { TicketState } from './reducer';
import type { PairRules } from './rules';
import { orderSteps } from './steps';
import type { TicketSummary } from './summary';

interface Props {
  ticket: TicketState;
  rules: PairRules;
  summary: TicketSummary;
}

/** What an order that waits will do, in words, one step after the other. */
export function PreviewSteps({ ticket, rules, summary }: Props) {
  const { t } = useTranslation('trade');
  const steps = orderSteps(ticket, summary);
  if (steps.length === 0) return null;
  const price = (value: Decimal | undefined) =>
    value ? `${formatPrice(value, rules.priceDecimals)} ${rules.quote}` : '';
  return (
    <ol className={css.steps} aria-label={t('steps.label')}>
      {steps.map((step) => (
        <li key={`${step.mark} ${step.text}`} data-mark={step.mark}>
          <span className={css.mark}>{t(`steps.${step.mark}`)}</span>
          <span>
            {t(`steps.${step.text}`, {
              price: price(step.price),
              percent: formatAmount(step.percent ?? 0),
              amount: `${formatAmount(summary.amount ?? 0)} ${rules.base}`,
            })}
          </span>
        </li>
      ))}
    </ol>
  );
}

import { useTranslation } from 'react-i18next';
import { Stepper } from '@/components/ui';
import type { Decimal } from '@/lib/decimal';
import { formatChange, grouped } from '@/lib/format';
import { lastPrice, useLastPrice } from '../market/prices';
import { kindOf, type PriceField, type Side } from './kinds';
import css from './PriceFields.module.css';
import type { Problem } from './problems';
import type { TicketAction, TicketState } from './reducer';
import { type PairRules, typed } from './rules';
import { Worth } from './Worth';
import { type TriggerName, triggerName } from './waiting';

export type FaultOf = (field: Problem['field']) => string | undefined;

interface Props {
  ticket: TicketState;
  rules: PairRules;
  /** HKD for one USDT, where the pair is quoted in HKD. */
  rate: Decimal | undefined;
  fault: FaultOf;
  dispatch(action: TicketAction): void;
}

/** The prices that this kind of order asks for. */
export function PriceFields(props: Props) {
  const { t } = useTranslation('trade');
  const { ticket, rules, rate, fault } = props;
  const { fields } = kindOf(ticket);
  if (fields.length === 0) return <p className={css.atMarket}>{t('ticket.atMarket')}</p>;
  return fields.map((row) =>
    row.field === 'trail' ? (
      <Trail key={row.field} {...props} />
    ) : (
      <div key={row.field} className={css.field}>
        <Price {...props} field={row.field} label={t(`ticket.${row.label}`)} optional={row.optional} />
        <Worth amount={typed(ticket[row.field])} rate={rate} />
        {row.purpose && !fault(row.field) && (
          <Distance text={ticket[row.field]} side={ticket.side} symbol={rules.symbol} purpose={row.purpose} />
        )}
      </div>
    ),
  );
}

function Price({
  ticket,
  rules,
  fault,
  dispatch,
  field,
  label,
  optional,
}: Props & { field: PriceField; label: string; optional: boolean | undefined }) {
  return (
    <Stepper
      label={optional ? label : `${label} (${rules.quote})`}
      value={ticket[field]}
      error={fault(field)}
      onChange={(text) => dispatch({ type: field, text })}
      onStep={(direction) =>
        dispatch({ type: 'stepPrice', field, direction, last: stepFrom(ticket, field) ?? lastPrice(rules.symbol) })
      }
    />
  );
}

/** An empty limit behind a trigger begins at the trigger. */
function stepFrom(ticket: TicketState, field: PriceField): number | undefined {
  const trigger = field === 'trigger' ? undefined : typed(ticket.trigger);
  return trigger?.toNumber();
}

interface DistanceProps {
  text: string;
  side: Side;
  symbol: string;
  purpose: TriggerName | 'bySide';
}

/** What a price is for and how far away it is, as the market moves. */
function Distance({ text, side, symbol, purpose }: DistanceProps) {
  const { t } = useTranslation('trade');
  const last = useLastPrice(symbol);
  const price = typed(text)?.toNumber();
  if (!price || !last || price === last) return null;
  const name = purpose === 'bySide' ? triggerName(side, price > last) : purpose;
  return (
    <p className={css.distance}>
      <span>{t(`ticket.${name}`)}</span>
      <span className="num">{formatChange((price / last - 1) * 100)}</span>
    </p>
  );
}

const TRAILS = ['0.5', '1', '2', '5'] as const;

function Trail({ ticket, fault, dispatch }: Props) {
  const { t } = useTranslation('trade');
  return (
    <div className={css.trail}>
      <Stepper
        label={`${t('ticket.trail')} (%)`}
        value={ticket.trail}
        error={fault('trail')}
        onChange={(text) => dispatch({ type: 'trail', text })}
        onStep={(direction) => dispatch({ type: 'stepTrail', direction })}
      />
      <fieldset className={css.trails}>
        <legend className="sr-only">{t('ticket.trail')}</legend>
        {TRAILS.map((text) => (
          <button
            key={text}
            type="button"
            className="num"
            aria-pressed={ticket.trail === text}
            onClick={() => dispatch({ type: 'trail', text })}
          >
            {grouped(text)}%
          </button>
        ))}
      </fieldset>
    </div>
  );
}

import { useTranslation } from 'react-i18next';
import { Stepper } from '@/components/ui';
import { formatChange, grouped } from '@/lib/format';
import { lastPrice, useLastPrice } from '../market/prices';
import css from './PriceFields.module.css';
import type { Problem } from './problems';
import type { PriceField, TicketAction, TicketState } from './reducer';
import { type PairRules, typed } from './rules';
import { triggerName } from './waiting';

export type FaultOf = (field: Problem['field']) => string | undefined;

interface Props {
  ticket: TicketState;
  rules: PairRules;
  fault: FaultOf;
  dispatch(action: TicketAction): void;
}

/** The prices that this kind of order asks for. */
export function PriceFields(props: Props) {
  const { t } = useTranslation('trade');
  const { ticket } = props;
  switch (ticket.kind) {
    case 'limit':
      return <Price {...props} field="price" label={t('ticket.price')} />;
    case 'market':
      return <p className={css.atMarket}>{t('ticket.atMarket')}</p>;
    case 'stopLimit':
      return (
        <>
          <Trigger {...props} label={t('ticket.trigger')} />
          <Price {...props} field="price" label={t('ticket.limitPrice')} />
        </>
      );
    case 'stopMarket':
      return <Trigger {...props} label={t('ticket.trigger')} />;
    case 'trailing':
      return (
        <>
          <Trail {...props} />
          <Price {...props} field="trigger" label={t('ticket.activation')} optional />
        </>
      );
    case 'oco':
      return (
        <>
          <Price {...props} field="price" label={t('ticket.target')} />
          {!props.fault('price') && (
            <Distance text={ticket.price} ticket={ticket} rules={props.rules} name="take_profit" />
          )}
          <Trigger {...props} label={t('ticket.stopTrigger')} />
          <Price {...props} field="stop" label={t('ticket.stopLimitPrice')} optional />
        </>
      );
  }
}

function Price({
  ticket,
  rules,
  fault,
  dispatch,
  field,
  label,
  optional,
}: Props & { field: PriceField; label: string; optional?: boolean }) {
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

/** The price that triggers, with what such an order is for: it follows from the side and from where the price is. */
function Trigger({ label, ...props }: Props & { label: string }) {
  const { ticket, rules, fault } = props;
  return (
    <>
      <Price {...props} field="trigger" label={label} />
      {!fault('trigger') && (
        <Distance
          text={ticket.trigger}
          ticket={ticket}
          rules={rules}
          {...(ticket.kind === 'oco' ? { name: 'stop_loss' } : {})}
        />
      )}
    </>
  );
}

/** What a price is for and how far away it is, as the market moves. */
function Distance({
  text,
  ticket,
  rules,
  name,
}: {
  text: string;
  ticket: TicketState;
  rules: PairRules;
  name?: 'stop_loss' | 'take_profit';
}) {
  const { t } = useTranslation('trade');
  const last = useLastPrice(rules.symbol);
  const price = typed(text)?.toNumber();
  if (!price || !last || price === last) return null;
  const percent = (price / last - 1) * 100;
  return (
    <p className={css.distance}>
      <span>{t(`ticket.${name ?? triggerName(ticket.side, price > last)}`)}</span>
      <span className="num">{formatChange(percent)}</span>
    </p>
  );
}

const TRAILS = ['0.5', '1', '2', '5'] as const;

function Trail({ ticket, fault, dispatch }: Props) {
  const { t } = useTranslation('trade');
  return (
    <>
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
    </>
  );
}

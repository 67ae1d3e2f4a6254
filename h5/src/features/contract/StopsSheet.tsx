import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, Sheet, Stepper } from '@/components/ui';
import { Decimal, plain } from '@/lib/decimal';
import { typed } from '@/trading';
import { useDeal } from './api/deal';
import type { Ticket } from './api/tickets';
import { Outcome } from './ContractTicket';
import { type DraftAction, draftReducer, EMPTY_DRAFT, type PriceField } from './draft';
import { heldOf, pairOf } from './held';
import { result, roe } from './numbers';
import { problemText, stopProblems } from './problems';
import css from './StopsSheet.module.css';
import { priceOr } from './show';
import type { StopOutcome } from './summary';

interface Props {
  /** undefined: closed. */
  ticket: Ticket | undefined;
  /** The index can be relied on. */
  live: boolean;
  busy: boolean;
  onClose(): void;
  onSave(fields: { id: number; target_profit_price: string; stop_loss_price: string }): void;
}

/** Where a position is closed by itself, in prices and in money. */
export function StopsSheet({ ticket, onClose, ...rest }: Props) {
  const { t } = useTranslation('contract');
  const [last, setLast] = useState(ticket);
  if (ticket && ticket !== last) setLast(ticket);
  return (
    <Sheet open={ticket !== undefined} onClose={onClose} title={t('stops.title')}>
      {last && <Stops key={last.id} ticket={last} {...rest} />}
    </Sheet>
  );
}

const textOf = (price: string): string => (Number(price) === 0 ? '' : price);

function Stops({ ticket, live, busy, onSave }: Omit<Props, 'onClose' | 'ticket'> & { ticket: Ticket }) {
  const { t } = useTranslation(['contract', 'trade']);
  const { rules } = useDeal(pairOf(ticket));
  const [draft, setDraft] = useState({
    ...EMPTY_DRAFT,
    takeProfit: textOf(ticket.target_profit_price),
    stopLoss: textOf(ticket.stop_loss_price),
  });
  const { direction, price, number, origin } = heldOf(ticket);
  const [, settle = ''] = ticket.symbol.split('/');
  // One that waits is judged by the price that it waits for.
  const reference = new Decimal(ticket.status === 0 ? ticket.origin_price : ticket.update_price);
  const problems = rules ? stopProblems(draft, direction, reference, rules) : [];
  const dispatch = (action: DraftAction) => setDraft((now) => draftReducer(now, action));
  const outcome = (text: string): StopOutcome | undefined => {
    const at = typed(text);
    if (!at?.gt(0)) return undefined;
    const profit = result(direction, price, at, number);
    return { price: at, profit, roe: roe(profit, origin) };
  };
  const field = (name: Exclude<PriceField, 'price'>) => {
    const problem = problems.find((entry) => entry.field === name);
    return (
      <div className={css.field}>
        <Stepper
          label={`${t(`form.${name}`)} (${settle})`}
          value={draft[name]}
          error={problem && problemText(problem, t)}
          onChange={(text) => dispatch({ type: name, text })}
          onStep={(way) => rules && dispatch({ type: 'stepPrice', field: name, way, from: reference, rules })}
        />
        <Outcome outcome={outcome(draft[name])} settle={settle} />
      </div>
    );
  };
  const places = rules?.priceDecimals ?? 2;
  return (
    <div className={css.stops}>
      <p className={`num ${css.prices}`}>
        {t('stops.entry', { entry: priceOr(ticket.price, places), index: priceOr(ticket.update_price, places) })}
      </p>
      {field('takeProfit')}
      {field('stopLoss')}
      <p className={css.note}>{t('stops.note')}</p>
      <Button
        block
        size="l"
        loading={busy}
        disabled={!rules || !live || problems.length > 0}
        throttleMs={1000}
        onClick={() =>
          onSave({
            id: ticket.id,
            target_profit_price: priceText(draft.takeProfit),
            stop_loss_price: priceText(draft.stopLoss),
          })
        }
      >
        {t('stops.save')}
      </Button>
    </div>
  );
}

/** "0" is none. */
const priceText = (text: string): string => plain(typed(text)) ?? '0';

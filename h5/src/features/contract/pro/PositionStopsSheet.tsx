import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Sheet } from '@/components/ui';
import { Decimal } from '@/lib/decimal';
import { useContract } from '@/lib/market';
import { type BookOrder, type BookRules, type Position, useProCommands } from '../api/book';
import { stopProblems } from '../problems';
import { StopsForm } from '../StopsForm';
import { priceOr } from '../show';
import { markOf, profitAt, roeOf } from './numbers';
import { stopChanges, wholeStops } from './stops';

interface Props {
  /** undefined: closed. */
  position: Position | undefined;
  rules: BookRules;
  /** Own open orders, of which some may close it. */
  orders: readonly BookOrder[];
  /** The index can be relied on. */
  live: boolean;
  onClose(): void;
}

/** Where orders that wait close all of a position of a contract's book, in prices and in money. */
export function PositionStopsSheet({ position, onClose, ...rest }: Props) {
  const { t } = useTranslation('contract');
  const [last, setLast] = useState(position);
  if (position && position !== last) setLast(position);
  return (
    <Sheet open={position !== undefined} onClose={onClose} title={t('stops.title')}>
      {last && <PositionStops key={keyOf(last)} position={last} onSaved={onClose} {...rest} />}
    </Sheet>
  );
}

const keyOf = ({ match_id, position_side, side }: Position) => `${match_id} ${position_side} ${side}`;

interface StopsProps extends Omit<Props, 'position' | 'onClose'> {
  position: Position;
  onSaved(): void;
}

function PositionStops({ position, rules, orders, live, onSaved }: StopsProps) {
  const { t } = useTranslation('contract');
  const { busy, setStops } = useProCommands();
  const mark = markOf(position, useContract(position.symbol));
  // As they were when the sheet was opened: what is not changed here stays as it is.
  const [before] = useState(() => wholeStops(position, orders));
  const price = (value: string) => priceOr(value, rules.priceDecimals);
  return (
    <StopsForm
      settle={rules.settle}
      rules={rules}
      stops={before}
      prices={`${t('ticket.entry')} ${price(position.entry)} · ${t('stats.mark')} ${price(mark)}`}
      note={t('pro.stopsNote')}
      reference={new Decimal(mark)}
      live={live}
      busy={busy}
      // Which side of the mark a price is on changes meanwhile: the server says it.
      problemsOf={(stops) => stopProblems(stops, position.side, undefined, rules)}
      outcomeAt={(at) => {
        const profit = profitAt(position, at);
        return { price: at, profit, roe: roeOf(position, profit) };
      }}
      onSave={async (stops) => {
        if (await setStops(stopChanges(position, orders, before, stops), t('stops.saved'))) onSaved();
      }}
    />
  );
}

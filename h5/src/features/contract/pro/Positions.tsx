import { useState } from 'react';
import { ErrorState, SkeletonRows } from '@/components/ui';
import { type BookOrder, type BookRules, type Position, useBookRules, useOrders, type usePositions } from '../api/book';
import { useOpenContracts } from '../gate';
import { pairOf } from '../held';
import { closingFields } from './draft';
import { MarginSheet } from './MarginSheet';
import { OrderSheet } from './OrderSheet';
import { PositionCard } from './PositionCard';
import { PositionStopsSheet } from './PositionStopsSheet';

interface Props {
  rules: BookRules;
  /** Of the contract of the rules. */
  positions: readonly Position[];
  balances: ReturnType<typeof usePositions>['balances'];
  orders: readonly BookOrder[];
}

/** Positions of one contract, and what is asked before one of them is changed. */
export function Positions({ rules, positions, balances, orders }: Props) {
  const [closing, setClosing] = useState<Position | undefined>();
  const [margin, setMargin] = useState<Position | undefined>();
  const [stops, setStops] = useState<Position['position_side'] | undefined>();
  const live = useOpenContracts()(rules.symbol);
  // As it is now; one that has ended meanwhile closes what asks about it.
  const stopped = positions.find(({ position_side }) => position_side === stops);
  if (stops && !stopped) setStops(undefined);
  return (
    <>
      {positions.map((position) => (
        <PositionCard
          key={position.position_side}
          position={position}
          rules={rules}
          orders={orders}
          live={live}
          onMargin={setMargin}
          onStops={({ position_side }) => setStops(position_side)}
          onClose={setClosing}
        />
      ))}
      <MarginSheet
        position={margin}
        rules={rules}
        available={balances.find(({ currency_id }) => currency_id === rules.legalId)?.available}
        onClose={() => setMargin(undefined)}
      />
      <PositionStopsSheet
        position={stopped}
        rules={rules}
        orders={orders}
        live={live}
        onClose={() => setStops(undefined)}
      />
      <OrderSheet
        open={closing !== undefined}
        rules={rules}
        fields={closing && closingFields(closing)}
        live={live}
        onClose={() => setClosing(undefined)}
        onSent={() => setClosing(undefined)}
      />
    </>
  );
}

/** Those of a contract that is not the shown one: its rules and orders are asked for. */
export function OtherPositions({ first, ...props }: Pick<Props, 'positions' | 'balances'> & { first: Position }) {
  const pair = pairOf(first);
  const { rules, error, retry } = useBookRules(pair);
  const orders = useOrders(pair);
  if (rules) return <Positions rules={rules} orders={orders.data ?? []} {...props} />;
  return error ? <ErrorState compact error={error} onRetry={retry} /> : <SkeletonRows rows={1} icon={false} />;
}

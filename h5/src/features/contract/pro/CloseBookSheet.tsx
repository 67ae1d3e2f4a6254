import { useTranslation } from 'react-i18next';
import { Decimal } from '@/lib/decimal';
import { marketSymbol, useContracts } from '@/lib/market';
import { type BookRules, type Position, useOrders } from '../api/book';
import { CloseAllSheet, chosen } from '../CloseSheets';
import type { Pair } from '../rules';
import { markOf, profitAt } from './numbers';
import { useClosePositions } from './useClosePositions';

interface Props {
  open: boolean;
  rules: BookRules;
  /** The contract, if it is one. */
  pair: Pair | undefined;
  /** Those that can be closed now. */
  positions: readonly Position[];
  onClose(): void;
}

/** One tap closes all positions of books at market, the longs or the shorts. */
export function CloseBookSheet({ open, rules, pair, positions, onClose }: Props) {
  const { t } = useTranslation('contract');
  const contracts = useContracts();
  const orders = useOrders(pair, open);
  const { busy, close } = useClosePositions();
  const rows = positions.map((position) => {
    const mark = markOf(position, contracts[marketSymbol(position.symbol)]);
    return { position, long: position.side === 'long', profit: profitAt(position, new Decimal(mark)) };
  });
  const closed = new Set(positions.map(({ match_id }) => match_id));
  return (
    <CloseAllSheet
      open={open}
      rows={rows}
      asset={rules.settle}
      note={pair ? t('pro.closeOf', { pair: pair.symbol }) : t('pro.closeEverywhere')}
      orders={orders.data?.filter(({ match_id }) => closed.has(match_id)).length ?? 0}
      busy={busy}
      onClose={onClose}
      onChoose={async (which) => {
        const meant = chosen(rows, which).map(({ position }) => position);
        await close(meant, which === 0);
        onClose();
      }}
    />
  );
}

import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useScreen } from '@/lib/screen';
import type { Pane } from '../Panes';
import { BookPanel, type TapLevel } from './BookPanel';
import { groupings } from './figures';
import { TradesPanel } from './TradesPanel';

interface BookOptions {
  symbol: string;
  base: string;
  quote: string;
  tick: number;
  priceDecimals: number;
  amountDecimals: number;
  /** A price of the pair: which groupings make sense follows from its size. */
  price: number;
  /** The last price until a trade is heard. */
  last?: number | undefined;
  /** HKD for one USDT, where the pair is quoted in HKD. */
  rate?: string | null | undefined;
  /** The same function as long as it does the same. */
  onLevel: TapLevel;
}

/** The panes of a product with an order book: its levels, and everybody's trades where they have a place of their own. */
export function useBookPanes({ symbol, base, quote, tick, price, last, rate, onLevel, ...decimals }: BookOptions): {
  grouping: number;
  panes: Pane[];
} {
  const { t } = useTranslation('trade');
  const roomy = useScreen() !== 'phone';
  // biome-ignore lint/correctness/useExhaustiveDependencies: the offer follows the pair, not every price.
  const offered = useMemo(() => groupings(tick, price), [tick]);
  const [grouping, setGrouping] = useState(tick);
  const { priceDecimals, amountDecimals } = decimals;
  return {
    grouping,
    panes: [
      {
        place: 'book',
        title: t('book.title'),
        part: (
          <BookPanel
            symbol={symbol}
            base={base}
            quote={quote}
            grouping={grouping}
            groupings={offered}
            amountDecimals={amountDecimals}
            priceDecimals={priceDecimals}
            roomy={roomy}
            last={last}
            rate={rate}
            onGrouping={setGrouping}
            onLevel={onLevel}
          />
        ),
      },
      {
        place: 'trades',
        title: t('trades.title'),
        // On a phone they are a tab among the orders.
        part: roomy && <TradesPanel symbol={symbol} priceDecimals={priceDecimals} amountDecimals={amountDecimals} />,
      },
    ],
  };
}

/**
 * Owns: where the parts of a trading page lie. One column on a phone (book and ticket side by side), two columns from
 * 600 px, everything on one screen from 1024 px, where the panes scroll and the page does not. A place that a product
 * does not fill is given to its neighbours.
 * Never does: mount a part twice; the same part moves to its other place.
 * Invariants: parts are in the document in the order in which they are read.
 */
import type { ReactNode } from 'react';
import { type Screen, useScreen } from '@/lib/screen';
import css from './Panes.module.css';

/** Two places beside the chart, `book` and `trades`, are of a product with an order book. */
export type Place = 'chart' | 'ticket' | 'book' | 'trades' | 'orders';

export interface Pane {
  /** At most one pane is in a place. */
  place: Place;
  /** Shown where there is room; a part that says itself what it is has none. */
  title?: string;
  /** Nothing: the place is not filled. */
  part: ReactNode;
}

interface Props {
  /** Pair and day's figures. */
  head: ReactNode;
  /** In any order. */
  panes: readonly Pane[];
}

const COLUMN: readonly Place[] = ['chart', 'ticket', 'book', 'trades', 'orders'];

/** How a screen is read: column by column, the orders last. */
const ORDER: Record<Screen, readonly Place[]> = {
  phone: COLUMN,
  tablet: COLUMN,
  desk: ['chart', 'book', 'trades', 'ticket', 'orders'],
};

export function Panes({ head, panes }: Props) {
  const screen = useScreen();
  const order = ORDER[screen];
  return (
    <>
      <div className={css.head}>{head}</div>
      <div className={css.panes}>
        {panes
          .filter(({ part }) => part)
          .sort((a, b) => order.indexOf(a.place) - order.indexOf(b.place))
          .map(({ place, title, part }) => (
            <div key={place} data-pane={place} className={css.pane}>
              {title && screen !== 'phone' && <h2 className={css.title}>{title}</h2>}
              {part}
            </div>
          ))}
      </div>
    </>
  );
}

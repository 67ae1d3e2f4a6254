/**
 * Owns: where the parts of a trading page lie. One column on a phone, two columns from 600 px, everything on one screen
 * from 1024 px, where the panes scroll and the page does not.
 * Never does: mount a part twice; the same part moves to its other place.
 * Invariants: parts are in the document in the order in which they are read.
 */
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { type Screen, useScreen } from '@/lib/screen';
import css from './Panes.module.css';

export interface Parts {
  chart: ReactNode;
  ticket: ReactNode;
  book: ReactNode;
  /** On a phone a tab among the orders; there it is left out here. */
  trades: ReactNode;
  orders: ReactNode;
}

interface Props extends Parts {
  /** Pair and day's figures. */
  head: ReactNode;
}

type Name = keyof Parts;

const COLUMN: readonly Name[] = ['chart', 'ticket', 'book', 'trades', 'orders'];

/** How a screen is read: column by column, the orders last. */
const ORDER: Record<Screen, readonly Name[]> = {
  phone: COLUMN,
  tablet: COLUMN,
  desk: ['chart', 'book', 'trades', 'ticket', 'orders'],
};

/** Those that say themselves what they are have no title. */
const TITLES: Partial<Record<Name, 'book.title' | 'trades.title'>> = { book: 'book.title', trades: 'trades.title' };

export function Panes({ head, ...parts }: Props) {
  const { t } = useTranslation('trade');
  const screen = useScreen();
  return (
    <>
      <div className={css.head}>{head}</div>
      <div className={css.panes}>
        {ORDER[screen]
          .filter((name) => parts[name])
          .map((name) => {
            const title = TITLES[name];
            return (
              <div key={name} data-pane={name} className={css.pane}>
                {title && screen !== 'phone' && <h2 className={css.title}>{t(title)}</h2>}
                {parts[name]}
              </div>
            );
          })}
      </div>
    </>
  );
}

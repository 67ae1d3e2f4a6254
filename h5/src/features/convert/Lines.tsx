import type { ReactNode } from 'react';
import css from './FlashExchangePage.module.css';

/** The terms of an exchange, one a line. */
export function Lines({ children }: { children: ReactNode }) {
  return <dl className={css.lines}>{children}</dl>;
}

export function Line({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className="num">{children}</dd>
    </div>
  );
}

/** What the console's panels are made of. */
import type { ReactNode } from 'react';
import css from './ops.module.css';

export function Panel({
  title,
  note,
  wide,
  children,
}: {
  title: string;
  note?: ReactNode;
  wide?: boolean;
  children: ReactNode;
}) {
  return (
    <section className={css.panel} data-wide={wide} aria-label={title}>
      <header className={css.head}>
        <h2>{title}</h2>
        {note !== undefined && <span className={css.note}>{note}</span>}
      </header>
      {children}
    </section>
  );
}

export type Tone = 'good' | 'warn' | 'bad' | undefined;

export function Figures({ rows }: { rows: [name: string, value: ReactNode, tone?: Tone][] }) {
  return (
    <dl className={css.figures}>
      {rows.map(([name, value, tone]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd data-tone={tone}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

interface TableProps {
  name: string;
  heads: string[];
  /** Which columns a phone leaves out is said by the styles. */
  brief?: boolean;
  /** Scrolls when it has many rows. */
  low?: boolean;
  children: ReactNode;
}

/** A table that scrolls by itself where it is too wide; reachable by keyboard then. */
export function Table({ name, heads, brief, low, children }: TableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className={css.scroll} data-low={low} aria-label={`${name}, table`} tabIndex={0}>
      <table className={css.table} data-brief={brief}>
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}

export function Tile({ name, value, tone, chart }: { name: string; value: string; tone?: Tone; chart?: ReactNode }) {
  return (
    <div className={css.tile}>
      <span className={css.tileName}>{name}</span>
      <strong data-tone={tone}>{value}</strong>
      {chart}
    </div>
  );
}

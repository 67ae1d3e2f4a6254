/** What the console's panels are made of. */
import type { ReactNode } from 'react';
import { exact, percent } from './format';
import { share } from './model';
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

/** Of a limit; from four fifths on an operator should know. */
function nearness(used: number): Tone {
  if (used >= 1) return 'bad';
  return used > 0.8 ? 'warn' : undefined;
}

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
  /** What of it a phone leaves out is said by the styles. */
  brief?: 'actors' | 'desks' | 'stocks' | 'venues';
  /** Scrolls when it has many rows, or only when it has very many. */
  low?: boolean;
  high?: boolean;
  children: ReactNode;
}

/** A table that scrolls by itself where it is too wide; reachable by keyboard then. */
export function Table({ name, heads, brief, low, high, children }: TableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className={css.scroll} data-low={low} data-high={high} aria-label={`${name}, table`} tabIndex={0}>
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

/** As long as the limit; what is used of it is coloured. */
const Line = ({ used }: { used: number }) => (
  <i className={css.limit} style={{ backgroundSize: `${Math.min(used, 1) * 100}% 100%` }} />
);

/** The part of a limit that is used, as a cell: both numbers, and a line below them. */
export function Used({ part, limit }: { part: string; limit: string }) {
  const used = share(part, limit);
  return (
    <td className={css.used} data-tone={nearness(used)}>
      {exact(part)} <span className={css.dim}>/ {exact(limit)}</span>
      <Line used={used} />
    </td>
  );
}

/** Limits and how much of them is used, a bar each; scrolls when there are many. */
export function Limits({
  name,
  rows,
}: {
  name: string;
  /** `used` is null when it is not known. */
  rows: { name: string; used: number | null; words: string }[];
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className={css.scroll} data-high aria-label={`${name}, list`} tabIndex={0}>
      <ul className={css.bars} data-limits>
        {rows.map((row) => (
          <li key={row.name} data-tone={nearness(row.used ?? 0)}>
            <span>{row.name}</span>
            <Line used={row.used ?? 0} />
            <b>{row.used === null ? '–' : percent(row.used)}</b>
            <small>{row.words}</small>
          </li>
        ))}
      </ul>
    </section>
  );
}

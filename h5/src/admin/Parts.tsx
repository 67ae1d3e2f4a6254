/** What the back office's pages are made of. */
import clsx from 'clsx';
import { type ReactNode, useState } from 'react';
import css from './admin.module.css';
import { useEscape, useSearchKey } from './desk';
import { time } from './format';
import type { AuditRow, Reserve } from './types';

export type Tone = 'good' | 'warn' | 'bad' | 'plain';

export function Badge({ tone = 'plain', title, children }: { tone?: Tone; title?: string; children: ReactNode }) {
  return (
    <span className={css.badge} data-tone={tone} title={title}>
      {children}
    </span>
  );
}

/** A page's head: its name, what it counts, its filters. */
export function Head({ title, note, children }: { title: string; note?: ReactNode; children?: ReactNode }) {
  return (
    <header className={css.head}>
      <h1>{title}</h1>
      {note !== undefined && <span className={css.dim}>{note}</span>}
      <div className={css.filters}>{children}</div>
    </header>
  );
}

interface SearchProps {
  /** What is searched. */
  name: string;
  /** By what. */
  by: string;
  text: string;
  change(text: string): void;
}

/** A list's search, in its head. */
export function Search({ name, by, text, change }: SearchProps) {
  return (
    <input
      ref={useSearchKey()}
      type="search"
      aria-label={`Search ${name}`}
      placeholder={`${by}  ( / )`}
      value={text}
      onChange={({ target }) => change(target.value)}
    />
  );
}

/** A detail's head: what it is about, its state, and the two ways out of it. */
export function DetailHead({ title, close, children }: { title: string; close(): void; children?: ReactNode }) {
  useEscape(close);
  return (
    <header className={css.detailHead}>
      <h2>{title}</h2>
      {children}
      <span className={css.space} />
      <button type="button" className={css.quiet} onClick={close} aria-label="Close (Escape)">
        Close
      </button>
    </header>
  );
}

interface TableProps {
  name: string;
  heads: [text: string, right?: 'right'][];
  children: ReactNode;
}

/** A table that scrolls by itself, its heads stay; reachable by keyboard. */
export function Table({ name, heads, children }: TableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className={css.scroll} aria-label={`${name}, table`} tabIndex={0}>
      <table className={css.table}>
        <thead>
          <tr>
            {heads.map(([text, right]) => (
              <th key={text} scope="col" className={clsx(right && css.right)}>
                {text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}

interface RowButtonProps {
  /** The row's own: `walk` finds the button by it. */
  id: string | number;
  isChosen: boolean;
  label: string;
  children: ReactNode;
}

/** What a row is opened by, for keyboard and screen reader: its first words. */
export function RowButton({ id, isChosen, label, children }: RowButtonProps) {
  return (
    <button type="button" id={`row-${id}`} className={css.row} aria-pressed={isChosen} aria-label={label}>
      {children}
    </button>
  );
}

export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className={css.empty}>
      <strong>{title}</strong>
      {children !== undefined && <p>{children}</p>}
    </div>
  );
}

/** Rows that are on their way. */
export function Waiting() {
  return (
    <div className={css.waiting} role="status" aria-label="Loading">
      {Array.from({ length: 6 }, (_, n) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
        <i key={n} />
      ))}
    </div>
  );
}

/** What went wrong; old rows stay below it. */
export function Trouble({ error, again }: { error: Error; again?: () => void }) {
  return (
    <div className={css.trouble} role="alert">
      <span>{error.message}</span>
      {again && (
        <button type="button" className={css.quiet} onClick={again}>
          Try again
        </button>
      )}
    </div>
  );
}

export function Facts({ rows }: { rows: [name: string, value: ReactNode][] }) {
  return (
    <dl className={css.facts}>
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A long word, as a whole, with a button that copies it. */
export function Copyable({ text, name }: { text: string; name: string }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setDone(true);
    setTimeout(() => setDone(false), 1_500);
  };
  return (
    <span className={css.copyable}>
      <code>{text}</code>
      <button
        type="button"
        className={css.quiet}
        onClick={() => void copy()}
        aria-label={`${done ? 'Copied' : 'Copy'} ${name}`}
      >
        {done ? 'Copied' : 'Copy'}
      </button>
    </span>
  );
}

export function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={css.part} aria-label={title}>
      <h3>{title}</h3>
      {children}
    </section>
  );
}

const reasonOf = ({ detail }: AuditRow) =>
  typeof detail === 'object' && typeof detail.reason === 'string' ? detail.reason : '';

/** Rows of the audit about one thing. */
export function Notes({ rows }: { rows: AuditRow[] }) {
  if (rows.length === 0) return <p className={css.dim}>Nobody of the staff has done anything about it.</p>;
  return (
    <ol className={css.notes}>
      {rows.map((row) => (
        <li key={row.id}>
          <strong>{row.actor}</strong> {row.action}
          <span className={css.dim}>{time(row.at_ms)}</span>
          {reasonOf(row) !== '' && <q>{reasonOf(row)}</q>}
        </li>
      ))}
    </ol>
  );
}

/** Whether a node shows all coins that are ours. */
export function ReserveState({ reserve }: { reserve: Reserve }) {
  const isWhole = reserve.found_units === reserve.held_units;
  return isWhole ? <Badge tone="good">all there</Badge> : <Badge tone="bad">coins are missing</Badge>;
}

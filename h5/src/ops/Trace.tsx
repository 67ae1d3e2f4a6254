/** An order's way through the exchange, stage by stage. */
import { type FormEvent, useState } from 'react';
import { micros, whole } from './format';
import { steps } from './model';
import css from './ops.module.css';
import { Panel } from './Parts';
import type { Traced } from './types';
import { trace } from './useConsole';

const NAMES: Record<string, string> = {
  received: 'Request read',
  handed: 'Handed to the cell',
  decided: 'Decided',
  durable: 'Durable',
  answered: 'Through the gate',
  replied: 'Response written',
  published: 'Trades published',
  book_published: 'Book published',
  stored: 'In the store',
};

type State =
  | { kind: 'idle' }
  | { kind: 'asking'; order: number }
  | { kind: 'failed'; why: string }
  | { kind: 'found'; traced: Traced };

export function Trace({ recent }: { recent: number[] }) {
  const [wanted, setWanted] = useState('');
  const [state, setState] = useState<State>({ kind: 'idle' });

  const ask = async (order: number) => {
    setWanted(String(order));
    setState({ kind: 'asking', order });
    try {
      setState({ kind: 'found', traced: await trace(order) });
    } catch (error) {
      setState({ kind: 'failed', why: error instanceof Error ? error.message : String(error) });
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (/^\d+$/.test(wanted)) void ask(Number(wanted));
  };

  return (
    <Panel title="An order's way" note="live times; older orders: exchange trace" wide>
      <form className={css.ask} onSubmit={submit}>
        <label>
          Order{' '}
          <input
            inputMode="numeric"
            pattern="[0-9]+"
            value={wanted}
            onChange={({ target }) => setWanted(target.value)}
          />
        </label>
        <button type="submit">Trace</button>
        {recent.slice(0, 6).map((order) => (
          <button type="button" key={order} className={css.quiet} onClick={() => void ask(order)}>
            {order}
          </button>
        ))}
      </form>
      <div aria-live="polite">
        <Found state={state} />
      </div>
    </Panel>
  );
}

function Found({ state }: { state: State }) {
  if (state.kind === 'idle') return <p className={css.dim}>Enter an order's number, or take one of the latest.</p>;
  if (state.kind === 'asking') return <p className={css.dim}>Following {state.order}…</p>;
  if (state.kind === 'failed') return <p data-tone="bad">Not followed: {state.why}</p>;
  const { traced } = state;
  if (traced.stages.length === 0) {
    return (
      <p className={css.dim}>
        The exchange no longer remembers the times of {traced.order}. `exchange trace {traced.order}` reads its facts.
      </p>
    );
  }
  const { record } = traced;
  return (
    <>
      {record && (
        <p>
          {record.kind} <b>{traced.order}</b> · record {whole(traced.lsn)} · {String(record.fact.side ?? '')}{' '}
          {String(record.fact.amount ?? '')} {record.fact.price ? `at ${String(record.fact.price)}` : ''} ·{' '}
          {String(record.fact.status ?? '')}
        </p>
      )}
      <ol className={css.steps}>
        {steps(traced.stages).map((step) => (
          <li key={step.stage}>
            <span>{NAMES[step.stage] ?? step.stage}</span>
            <span className={css.track} aria-hidden="true">
              <i style={{ left: `${step.place * 100}%` }} />
            </span>
            <b>+{micros(step.offset)}</b>
            <span className={css.dim}>{step.detail}</span>
          </li>
        ))}
      </ol>
    </>
  );
}

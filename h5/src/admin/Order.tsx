/** An order of one person: a button that asks for a reason first. */
import css from './admin.module.css';
import { Part } from './Parts';
import { useReasoned } from './reasoned';

interface OrderProps<T> {
  name: string;
  note: string;
  path: string;
  /** What is said besides the reason. */
  about?: Record<string, unknown>;
  kind: 'yes' | 'no';
  done: (answer: T) => void;
}

/** Posts the reason to the path; what is refused is told under it. */
export function Order<T = unknown>({ name, note, path, about, kind, done }: OrderProps<T>) {
  const { reason, setReason, trouble, busy, isSaid, send } = useReasoned<T>(path, done);
  return (
    <Part title={name}>
      <p className={css.dim}>{note}</p>
      <div className={css.order}>
        <input
          aria-label={`Reason: ${name}`}
          placeholder="Reason"
          maxLength={200}
          value={reason}
          onChange={({ target }) => setReason(target.value)}
        />
        <button type="button" data-kind={kind} disabled={busy || !isSaid} onClick={() => void send(about)}>
          {name}
        </button>
      </div>
      <p role="alert" data-tone="bad">
        {trouble}
      </p>
    </Part>
  );
}

/** An order of one person: a button that asks for a reason first. */
import css from './admin.module.css';
import { Part } from './Parts';
import { useReasoned } from './reasoned';

interface OrderProps {
  name: string;
  note: string;
  path: string;
  kind: 'yes' | 'no';
  done: () => void;
}

/** Posts the reason to the path; what is refused is told under it. */
export function Order({ name, note, path, kind, done }: OrderProps) {
  const { reason, setReason, trouble, busy, isSaid, send } = useReasoned(path, done);
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
        <button type="button" data-kind={kind} disabled={busy || !isSaid} onClick={() => void send()}>
          {name}
        </button>
      </div>
      <p role="alert" data-tone="bad">
        {trouble}
      </p>
    </Part>
  );
}

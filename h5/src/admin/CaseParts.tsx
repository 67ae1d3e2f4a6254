/** What every case shows: who proposed it and why, the decision of another person, who decided. */
import css from './admin.module.css';
import { useSession } from './api';
import { time } from './format';
import { Badge, Part, type Tone } from './Parts';
import { type Decided, Decision } from './Sign';
import type { Case, Proposed } from './types';

export const CASE_TONES: Record<Proposed['state'], Tone> = {
  proposed: 'warn',
  approved: 'good',
  refused: 'bad',
  expired: 'plain',
};

interface Props {
  row: Proposed;
  me: string;
  /** The permission to decide. */
  needs: string;
  /** What is decided about, as the calls' path has it. */
  path: string;
  yes: string;
  /** Told to whose role does not decide. */
  onlySees: string;
  /** Whether it can be agreed to at all. */
  mayAgree?: boolean;
  done: (answer: Decided) => void;
}

export function CaseParts({ row, me, needs, path, yes, onlySees, mayAgree = true, done }: Props) {
  const { may } = useSession();
  const isOwn = row.proposed_by === me;
  return (
    <>
      <Part title="Proposed">
        <p>
          <strong>{row.proposed_by}</strong> proposes it.
        </p>
        <q>{row.proposed_reason}</q>
      </Part>
      {row.state === 'proposed' && (
        <Part title="Decide">
          {isOwn && <p>You proposed it: another person has to agree.{may(needs) && ' You can take it back.'}</p>}
          {may(needs) ? (
            <Decision
              path={path}
              field="approves"
              yes={yes}
              no={isOwn ? 'Take it back' : 'Refuse'}
              mayAgree={mayAgree && !isOwn}
              done={done}
            />
          ) : (
            <p>{onlySees}</p>
          )}
        </Part>
      )}
      {row.decided_by !== null && (
        <Part title="Decided">
          <p>
            <strong>{row.decided_by}</strong>{' '}
            <span className={css.dim}>{row.decided_ms !== null && time(row.decided_ms)}</span>
          </p>
          {row.decided_reason !== null && <q>{row.decided_reason}</q>}
        </Part>
      )}
    </>
  );
}

/** Of some kinds there is more to tell than the decision: what became of it. */
type Ended = Case & { outcome?: string | null; outcome_ms?: number | null };

/** What was decided, or ended by itself, the newest first. */
export function Past({ cases }: { cases: Ended[] }) {
  if (cases.length === 0) return null;
  return (
    <section className={css.card} aria-label="Decided">
      <h2>Decided</h2>
      <ol className={css.notes}>
        {cases.map((one) => (
          <li key={one.case}>
            <Badge tone={CASE_TONES[one.state]}>{one.state}</Badge> {one.kind}, {one.subject}: proposed by{' '}
            <strong>{one.proposed_by}</strong>
            {one.decided_by !== null && (
              <>
                , decided by <strong>{one.decided_by}</strong>
              </>
            )}
            <span className={css.dim}>{time(one.decided_ms ?? one.expires_ms)}</span>
            {one.decided_reason !== null && <q>{one.decided_reason}</q>}
            {typeof one.outcome === 'string' && (
              <p>
                Then: {one.outcome}
                {typeof one.outcome_ms === 'number' && <span className={css.dim}>{time(one.outcome_ms)}</span>}
              </p>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Proposes a change of a market's parameters, after a preview of exactly what is entered. */
import { type FormEvent, useEffect, useRef, useState } from 'react';
import css from './admin.module.css';
import { post, useSession } from './api';
import { ParameterFees } from './ParameterFees';
import { Differences, PreviewParts } from './ParameterPreview';
import { DetailHead, Part } from './Parts';
import { DAYS_AHEAD, draftOf, effectOf, FIELDS, fieldOf, isRead, latestOf, paramsOf } from './parameterDraft';
import type { MarketParameters, Preview } from './parameterTypes';
import { why } from './passkeys';

interface Props {
  market: MarketParameters;
  /** The server's clock. */
  nowMs: number;
  close: () => void;
  done: (proposal: number) => void;
}

/** A preview, and of what. */
interface Seen {
  of: string;
  preview: Preview;
}

export function ParameterEditor({ market, nowMs, close, done }: Props) {
  const { me } = useSession();
  const [begun] = useState(market.version);
  const [draft, setDraft] = useState(() => draftOf(market.params));
  const [isDated, setDated] = useState(false);
  const [at, setAt] = useState('');
  const [reason, setReason] = useState('');
  const [seen, setSeen] = useState<Seen | null>(null);
  const [trouble, setTrouble] = useState('');
  const [busy, setBusy] = useState(false);
  const buttons = useRef<HTMLDivElement>(null);
  const params = paramsOf(draft);
  const entered = JSON.stringify(params);
  const preview = seen?.of === entered ? seen.preview : null;
  const effective_ms = isDated ? effectOf(at, nowMs) : null;
  const isCurrent = begun === market.version;
  const isWhole = preview !== null && preview.changes.length > 0 && (!isDated || effective_ms !== null);

  // What a preview tells stands below the buttons.
  useEffect(() => {
    if (seen) buttons.current?.scrollIntoView({ block: 'start' });
  }, [seen]);

  const guarded = async (work: () => Promise<void>) => {
    setBusy(true);
    setTrouble('');
    try {
      await work();
    } catch (error) {
      setTrouble(why(error));
    }
    setBusy(false);
  };
  const look = () =>
    guarded(async () => {
      const said = await post<Preview>(`parameters/${market.id}/preview`, { params }, me.word);
      setSeen({ of: entered, preview: said });
    });
  const propose = (event: FormEvent) => {
    event.preventDefault();
    void guarded(async () => {
      const body = { params, effective_ms, reason };
      done((await post<{ case: number }>(`parameters/${market.id}/propose`, body, me.word)).case);
    });
  };

  return (
    <aside className={css.detail} aria-label={`Change ${market.symbol}`}>
      <DetailHead title={`Change ${market.symbol}`} close={close} />
      {!isCurrent && (
        <p className={css.notice} data-tone="warn" role="alert">
          These parameters were changed meanwhile: close this, and begin anew.
        </p>
      )}
      <form className={css.editor} onSubmit={propose}>
        <div className={css.fields}>
          {FIELDS.map(([field, label, kind]) => (
            <label key={field}>
              {label}
              <input
                autoComplete="off"
                inputMode={kind === 'whole' ? 'numeric' : 'decimal'}
                maxLength={32}
                aria-invalid={!isRead(kind, draft[field])}
                value={draft[field]}
                onChange={({ target }) => setDraft({ ...draft, [field]: target.value.trim() })}
              />
            </label>
          ))}
        </div>
        <ParameterFees rows={draft.fees} change={(fees) => setDraft({ ...draft, fees })} />
        <Part title="Proposal">
          <div className={css.fields}>
            <label>
              Takes effect
              <select
                value={isDated ? 'date' : 'approved'}
                onChange={({ target }) => setDated(target.value === 'date')}
              >
                <option value="approved">When it is approved</option>
                <option value="date">At a date and time</option>
              </select>
            </label>
            {isDated && (
              <label>
                Date and time in UTC, within {DAYS_AHEAD} days
                <input
                  type="datetime-local"
                  min={fieldOf(nowMs)}
                  max={latestOf(nowMs)}
                  aria-invalid={effective_ms === null}
                  value={at}
                  onChange={({ target }) => setAt(target.value)}
                />
              </label>
            )}
          </div>
          <label>
            Reason, for who decides and the audit
            <input
              autoComplete="off"
              maxLength={200}
              value={reason}
              onChange={({ target }) => setReason(target.value)}
            />
          </label>
        </Part>
        <p role="alert" data-tone="bad">
          {trouble}
        </p>
        <div ref={buttons} className={css.buttons}>
          <button type="button" disabled={busy || params === null || !isCurrent} onClick={() => void look()}>
            Preview
          </button>
          <button type="submit" data-kind="yes" disabled={busy || !isWhole || !isCurrent || reason.trim() === ''}>
            Propose
          </button>
        </div>
        <p className={css.dim} role="status">
          {params === null ? 'What is marked cannot be read as a number.' : told(seen !== null, preview !== null)}
        </p>
      </form>
      {preview && (
        <>
          <Part title="What changes">
            <Differences changes={preview.changes} />
          </Part>
          <PreviewParts preview={preview} />
        </>
      )}
    </aside>
  );
}

function told(wasSeen: boolean, isSeen: boolean): string {
  if (isSeen) return 'Another person has to agree, within 72 hours.';
  return wasSeen
    ? 'What is entered has changed since the preview: preview it again.'
    : 'Preview what is entered first; then it can be proposed.';
}

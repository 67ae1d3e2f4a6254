/** A decision: a reason, what exactly is signed, the passkey. */
import { type FormEvent, useEffect, useRef, useState } from 'react';
import css from './admin.module.css';
import { post, useSession } from './api';
import { time } from './format';
import { effect, paramsText } from './parameterTexts';
import type { Params } from './parameterTypes';
import { isOf, sign, why } from './passkeys';
import { subjectText } from './regionTexts';
import type { ToSign } from './types';

/** In the order in which people check them; what else is signed comes after. */
const ORDER = ['withdrawal', 'number', 'asset_name', 'fee', 'address', 'chain', 'account', 'inside', 'flags'];

/** Parameters of a market. */
const isParams = (value: unknown): value is Params =>
  typeof value === 'object' && value !== null && 'tick' in value && 'fees' in value;

/** A statement's fields in words. */
function fields(statement: string): [string, string][] {
  const said = JSON.parse(statement) as Record<string, unknown>;
  const text = (value: unknown) => {
    if (value === null) return '–';
    if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ');
    if (isParams(value)) return paramsText(value);
    return typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value);
  };
  const shown = (name: string, value: unknown) => {
    if (name === 'effective_ms') return effect(typeof value === 'number' ? value : null);
    return name.endsWith('_ms') ? time(Number(value)) : text(value);
  };
  const place = (name: string) => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length);
  // What a campaign or a change of parameters is proposed with is a text of fields.
  const subject = text(said.subject ?? null);
  const terms = subject.startsWith('{') ? (JSON.parse(subject) as Record<string, unknown>) : {};
  const all = Object.keys(terms).length === 0 ? said : { ...terms, ...said, subject: null };
  return Object.entries(all)
    .filter(([name, value]) => name !== 'nonce' && (name !== 'subject' || value !== null))
    .sort(([one], [other]) => place(one) - place(other))
    .map(([name, value]) => [name.replace(/_ms$/, '').replaceAll('_', ' '), shown(name, value)]);
}

/** What is signed about products in a country, in words; of anything else nothing. */
function regionText(statement: string): string | undefined {
  const { subject } = JSON.parse(statement) as { subject?: unknown };
  if (typeof subject !== 'string') return undefined;
  const words = subjectText(subject);
  return words === subject ? undefined : words;
}

/** What a decision is answered with; of some kinds there is more. */
export interface Decided {
  done?: string;
  half?: string;
}

interface DecisionProps {
  /** What is decided about, as the calls' path has it. */
  path: string;
  /** The field that says yes or no. */
  field: 'agrees' | 'approves';
  yes: string;
  no: string;
  mayAgree: boolean;
  /** The server's answer to the signature. */
  done: (answer: Decided) => void;
}

export function Decision({ path, field, yes, no, mayAgree, done }: DecisionProps) {
  const { me } = useSession();
  const [reason, setReason] = useState('');
  const [trouble, setTrouble] = useState('');
  const [busy, setBusy] = useState(false);
  const [asked, setAsked] = useState<{ toSign: ToSign; agrees: boolean } | null>(null);
  const dialog = useRef<HTMLDialogElement>(null);

  useEffect(() => {
    if (asked) dialog.current?.showModal();
    else dialog.current?.close();
  }, [asked]);

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
  const begin = (agrees: boolean) =>
    guarded(async () => {
      const body = { [field]: agrees, reason };
      const toSign = await post<ToSign>(`${path}/begin`, body, me.word);
      if (!(await isOf(toSign))) throw new Error('What is to be signed is not what is shown. Tell an owner.');
      setAsked({ toSign, agrees });
    });
  const finish = ({ toSign }: { toSign: ToSign }) =>
    guarded(async () => {
      let answer: Decided;
      try {
        const assertion = await sign(toSign.options);
        answer = await post<Decided>(path, { challenge: toSign.challenge, assertion }, me.word);
      } finally {
        setAsked(null);
      }
      setReason('');
      done(answer);
    });
  const submit = (event: FormEvent) => event.preventDefault();
  const region = asked ? regionText(asked.toSign.statement) : undefined;

  return (
    <form className={css.decision} onSubmit={submit}>
      <label htmlFor="reason">Reason</label>
      <textarea
        id="reason"
        rows={2}
        maxLength={200}
        value={reason}
        placeholder="What you looked at, and what speaks for it"
        onChange={({ target }) => setReason(target.value.replaceAll('\n', ' '))}
      />
      <p role="alert" data-tone="bad">
        {trouble}
      </p>
      <div className={css.buttons}>
        <button
          type="button"
          disabled={busy || !mayAgree || reason.trim() === ''}
          onClick={() => void begin(true)}
          data-kind="yes"
        >
          {yes}
        </button>
        <button type="button" disabled={busy || reason.trim() === ''} onClick={() => void begin(false)} data-kind="no">
          {no}
        </button>
      </div>
      <dialog ref={dialog} className={css.dialog} aria-label="What you sign" onClose={() => setAsked(null)}>
        {asked && (
          <>
            <h2>{asked.agrees ? yes : no}: what you sign</h2>
            {region && (
              <p>
                <strong>{region}</strong>
              </p>
            )}
            <dl className={css.facts}>
              {fields(asked.toSign.statement).map(([name, value]) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{value}</dd>
                </div>
              ))}
            </dl>
            <p className={css.dim}>
              Its digest, which your passkey signs and the audit keeps: <code>{asked.toSign.digest}</code>
            </p>
            <div className={css.buttons}>
              <button
                type="button"
                disabled={busy}
                data-kind={asked.agrees ? 'yes' : 'no'}
                onClick={() => void finish(asked)}
              >
                Sign with your passkey
              </button>
              <button type="button" className={css.quiet} disabled={busy} onClick={() => setAsked(null)}>
                Back
              </button>
            </div>
          </>
        )}
      </dialog>
    </form>
  );
}

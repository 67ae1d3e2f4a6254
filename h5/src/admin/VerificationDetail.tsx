/**
 * One case of identity verification: taken by a person for 15 minutes, who alone then sees the number in full and the
 * pictures, and decides.
 */
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import css from './admin.module.css';
import { get, post, useSession } from './api';
import { useNow } from './desk';
import { age, DOCUMENTS, LEVELS, left, REASONS, reasonText, time } from './format';
import { Badge, Copyable, DetailHead, Facts, Notes, Part, type Tone, Trouble, Waiting } from './Parts';
import { Pictures } from './Pictures';
import { why } from './passkeys';
import { Propose } from './Revocations';
import { areaOf } from './regionTexts';
import type { VerificationDetail as Told, VerificationRow } from './types';

const EVERY_MS = 3_000;
const SECOND_MS = 1_000;
/** What is left of a lease when it wants to be seen. */
const SHORT_MS = 120_000;

const TONES: Record<VerificationRow['state'], Tone> = { waiting: 'warn', passed: 'good', failed: 'bad' };

export const State = ({ state }: { state: VerificationRow['state'] }) => <Badge tone={TONES[state]}>{state}</Badge>;

/** The document that a case is about. */
export const documentOf = ({ id_type, country, region }: VerificationRow): string =>
  [id_type === null ? '' : DOCUMENTS[id_type], country ? areaOf(country, region) : ''].filter(Boolean).join(', ');

interface Props {
  id: string;
  me: string;
  /** How far the server's clock is ahead of this one. */
  aheadMs: number;
  close: () => void;
}

export function VerificationDetail({ id, me, aheadMs, close }: Props) {
  const { may } = useSession();
  const queries = useQueryClient();
  const now = useNow(SECOND_MS) + aheadMs;
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['verification', id],
    queryFn: () => get<Told>(`verifications/${id}`),
    refetchInterval: EVERY_MS,
    placeholderData: keepPreviousData,
  });

  const changed = () => {
    void queries.invalidateQueries({ queryKey: ['verifications'] });
    void refetch();
  };
  const leftMs = data?.mine ? (data.leased_until_ms ?? 0) - now : 0;
  const isHeld = data?.state === 'waiting' && leftMs > 0;
  return (
    <aside className={css.detail} aria-label={`Case ${id}`}>
      <DetailHead title={data ? `${LEVELS[data.level]} verification` : `Case ${id}`} close={close}>
        {data && <State state={data.state} />}
        {isHeld && (
          <span role="timer" data-tone={leftMs < SHORT_MS ? 'warn' : undefined}>
            yours for {left(leftMs)}
          </span>
        )}
      </DetailHead>
      {error && <Trouble error={error} again={() => void refetch()} />}
      {isPending && !error && <Waiting />}
      {data && (
        <>
          <Facts
            rows={[
              ['Case', data.case],
              [
                'Account',
                <a key="account" href={`#/users?id=${data.account}`}>
                  {data.account}
                </a>,
              ],
              ['Document', documentOf(data) || '–'],
              ['Name', data.name],
              ['Number', isHeld ? <Copyable key="number" text={data.number ?? '–'} name="the number" /> : data.number],
              ['Handed in', `${time(data.submitted_ms)}, ${age(now - data.submitted_ms)} ago`],
              [
                'Cases with the same document',
                data.same_document.length === 0
                  ? 'none'
                  : data.same_document.map((other) => (
                      <a key={other} className={css.other} href={`#/verifications?id=${other}`}>
                        {other}
                      </a>
                    )),
              ],
            ]}
          />
          {data.state === 'waiting' && may('ReviewVerifications') && !isHeld && (
            <Claim data={data} me={me} now={now} done={changed} />
          )}
          {data.level === 2 && data.state === 'waiting' && (
            <Part title="Pictures">
              {isHeld ? (
                <Pictures id={data.case} sides={data.pictures} name={data.name ?? ''} number={data.number ?? ''} />
              ) : (
                <p className={css.dim}>They are sealed. Who reviews the case sees them.</p>
              )}
            </Part>
          )}
          {isHeld && <Decide id={data.case} done={changed} />}
          {data.state !== 'waiting' && (
            <Part title="Decided">
              <p>
                <strong>{data.decided_by ?? '–'}</strong>{' '}
                <span className={css.dim}>{data.decided_ms !== null && time(data.decided_ms)}</span>
              </p>
              {data.reason && (
                <p>
                  <Badge tone="bad">{reasonText(data.reason)}</Badge>
                </p>
              )}
              {data.note && <q>{data.note}</q>}
            </Part>
          )}
          {data.state === 'passed' && may('RevokeVerifications') && (
            <Propose
              account={data.account}
              tiers={data.level === 2 ? ['unverified', 'basic'] : ['unverified']}
              done={changed}
            />
          )}
          <Part title="What people did">
            <Notes rows={data.notes} />
          </Part>
        </>
      )}
    </aside>
  );
}

interface ClaimProps {
  data: Told;
  me: string;
  now: number;
  done: () => void;
}

/** Takes the case, unless another person has it. */
function Claim({ data, me, now, done }: ClaimProps) {
  const { me: session } = useSession();
  const [trouble, setTrouble] = useState('');
  const [busy, setBusy] = useState(false);
  const until = data.leased_until_ms ?? 0;
  const isTaken = data.reviewer !== null && data.reviewer !== me && until > now;
  const isOver = data.reviewer === me && until > 0 && until <= now;
  const take = async () => {
    setBusy(true);
    setTrouble('');
    try {
      await post(`verifications/${data.case}/claim`, {}, session.word);
    } catch (error) {
      setTrouble(why(error));
    }
    done();
    setBusy(false);
  };
  return (
    <Part title="Review">
      <p>
        {isTaken && (
          <>
            <strong>{data.reviewer}</strong> reviews it, for {left(until - now)} at most.
          </>
        )}
        {isOver && 'Your 15 minutes are over. Take it again to go on.'}
        {!isTaken && !isOver && 'Nobody reviews it. Who takes it has 15 minutes and sees all of it.'}
      </p>
      {!isTaken && (
        <div className={css.order}>
          <button type="button" disabled={busy} onClick={() => void take()}>
            {isOver ? 'Take it again' : 'Review it'}
          </button>
        </div>
      )}
      <p role="alert" data-tone="bad">
        {trouble}
      </p>
    </Part>
  );
}

function Decide({ id, done }: { id: number; done: () => void }) {
  const { me } = useSession();
  const [reason, setReason] = useState('');
  const [note, setNote] = useState('');
  const [trouble, setTrouble] = useState('');
  const [busy, setBusy] = useState(false);
  const decide = async (passes: boolean) => {
    setBusy(true);
    setTrouble('');
    try {
      await post(`verifications/${id}/decide`, { passes, reason, note: note.trim() }, me.word);
      done();
    } catch (error) {
      setTrouble(why(error));
    }
    setBusy(false);
  };
  return (
    <Part title="Decide">
      <div className={css.decision}>
        <label htmlFor="why">Why it fails</label>
        <select id="why" value={reason} onChange={({ target }) => setReason(target.value)}>
          <option value="">Nothing is wrong</option>
          {Object.entries(REASONS).map(([code, text]) => (
            <option key={code} value={code}>
              {text}
            </option>
          ))}
        </select>
        <label htmlFor="note">Note, which the user reads</label>
        <textarea
          id="note"
          rows={2}
          maxLength={200}
          value={note}
          placeholder="What the user can do better; may stay empty"
          onChange={({ target }) => setNote(target.value.replaceAll('\n', ' '))}
        />
        <p role="alert" data-tone="bad">
          {trouble}
        </p>
        <div className={css.buttons}>
          <button type="button" data-kind="yes" disabled={busy || reason !== ''} onClick={() => void decide(true)}>
            Passes
          </button>
          <button type="button" data-kind="no" disabled={busy || reason === ''} onClick={() => void decide(false)}>
            Fails
          </button>
        </div>
      </div>
    </Part>
  );
}

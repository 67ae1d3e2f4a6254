/** Verifications that are taken back: one person proposes, another decides. */
import { type FormEvent, useState } from 'react';
import css from './admin.module.css';
import { post, useSession } from './api';
import { useEscape, walk } from './desk';
import { time } from './format';
import { Badge, Empty, Facts, Part, Table, type Tone } from './Parts';
import { why } from './passkeys';
import { Decision } from './Sign';
import type { Revocation } from './types';

type Tier = Revocation['tier'];

const TIERS: Record<Tier, string> = { unverified: 'Not verified', basic: 'Basic' };
const TONES: Record<Revocation['state'], Tone> = {
  proposed: 'warn',
  approved: 'good',
  refused: 'bad',
  expired: 'plain',
};

interface ProposeProps {
  /** Whose verification it is, where that is known. */
  account?: number;
  tiers: readonly Tier[];
  done: () => void;
}

/** Proposes that an account falls back to a tier. */
export function Propose({ account, tiers, done }: ProposeProps) {
  const { me } = useSession();
  const [typed, setTyped] = useState('');
  const [tier, setTier] = useState<Tier>('unverified');
  const [reason, setReason] = useState('');
  const [trouble, setTrouble] = useState('');
  const [busy, setBusy] = useState(false);
  const whose = account ?? Number(typed);
  const isWhole = Number.isSafeInteger(whose) && whose > 0 && reason.trim() !== '';
  const go = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setTrouble('');
    try {
      await post('verifications/revoke', { account: whose, tier, reason }, me.word);
      setReason('');
      setTyped('');
      done();
    } catch (error) {
      setTrouble(why(error));
    }
    setBusy(false);
  };
  return (
    <Part title="Propose a revocation">
      <p className={css.dim}>Limits fall at once when another person agrees, within 72 hours.</p>
      <form className={css.order} onSubmit={(event) => void go(event)}>
        {account === undefined && (
          <input
            className={css.short}
            inputMode="numeric"
            aria-label="Account whose verification is taken back"
            placeholder="Account"
            value={typed}
            onChange={({ target }) => setTyped(target.value.trim())}
          />
        )}
        <select
          aria-label="What the account falls back to"
          value={tier}
          onChange={({ target }) => setTier(target.value as Tier)}
        >
          {tiers.map((name) => (
            <option key={name} value={name}>
              {TIERS[name]}
            </option>
          ))}
        </select>
        <input
          aria-label="Why it is taken back"
          placeholder="Reason"
          maxLength={200}
          value={reason}
          onChange={({ target }) => setReason(target.value)}
        />
        <button type="submit" data-kind="no" disabled={busy || !isWhole}>
          Propose
        </button>
      </form>
      <p role="alert" data-tone="bad">
        {trouble}
      </p>
    </Part>
  );
}

interface ListProps {
  rows: Revocation[];
  chosen: string;
  open: (id: string) => void;
  done: () => void;
}

export function Revocations({ rows, chosen, open, done }: ListProps) {
  const { may } = useSession();
  const step = walk(
    rows.map((row) => String(row.case)),
    chosen,
    open,
  );
  return (
    <>
      <h2>Revocations</h2>
      {may('RevokeVerifications') && <Propose tiers={['unverified', 'basic']} done={done} />}
      {rows.length === 0 ? (
        <Empty title="Nothing was taken back">Proposed revocations appear here, and what was decided about them.</Empty>
      ) : (
        <Table
          name="Revocations"
          heads={[['State'], ['Account', 'right'], ['Falls back to'], ['Proposed by'], ['When'], ['Ends', 'right']]}
        >
          {rows.map((row) => {
            const id = String(row.case);
            return (
              <tr key={id} data-chosen={id === chosen} onClick={() => open(id)} onKeyDown={step}>
                <td>
                  <button
                    type="button"
                    id={`row-${id}`}
                    className={css.row}
                    aria-pressed={id === chosen}
                    aria-label={`${row.state}: revocation ${id}`}
                  >
                    <Badge tone={TONES[row.state]}>{row.state}</Badge>
                  </button>
                </td>
                <td className={css.right}>{row.account}</td>
                <td>{TIERS[row.tier]}</td>
                <td>{row.proposed_by}</td>
                <td>{time(row.proposed_ms)}</td>
                <td className={css.right}>{time(row.decided_ms ?? row.expires_ms)}</td>
              </tr>
            );
          })}
        </Table>
      )}
    </>
  );
}

interface DetailProps {
  row: Revocation;
  me: string;
  close: () => void;
  done: () => void;
}

export function RevocationDetail({ row, me, close, done }: DetailProps) {
  const { may } = useSession();
  const isOwn = row.proposed_by === me;
  useEscape(close);
  return (
    <aside className={css.detail} aria-label={`Revocation ${row.case}`}>
      <header className={css.detailHead}>
        <h2>Revocation {row.case}</h2>
        <Badge tone={TONES[row.state]}>{row.state}</Badge>
        <span className={css.space} />
        <button type="button" className={css.quiet} onClick={close} aria-label="Close (Escape)">
          Close
        </button>
      </header>
      <Facts
        rows={[
          [
            'Account',
            <a key="account" href={`#/users?id=${row.account}`}>
              {row.account}
            </a>,
          ],
          ['Falls back to', TIERS[row.tier]],
          ['Proposed', time(row.proposed_ms)],
          ['Ends by itself', time(row.expires_ms)],
        ]}
      />
      <Part title="Proposed">
        <p>
          <strong>{row.proposed_by}</strong> proposes it.
        </p>
        <q>{row.proposed_reason}</q>
      </Part>
      {row.state === 'proposed' && (
        <Part title="Decide">
          {isOwn && <p>You proposed it: another person has to agree. You can take it back.</p>}
          {may('RevokeVerifications') ? (
            <Decision
              path={`revocations/${row.case}/decide`}
              field="approves"
              yes="Agree and revoke"
              no={isOwn ? 'Take it back' : 'Refuse'}
              mayAgree={!isOwn}
              done={done}
            />
          ) : (
            <p>Your role sees revocations and does not decide about them.</p>
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
    </aside>
  );
}

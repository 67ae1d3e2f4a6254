/** Verifications that are taken back: one person proposes, another decides. */
import { type FormEvent, useState } from 'react';
import css from './admin.module.css';
import { useSession } from './api';
import { CASE_TONES, CaseParts } from './CaseParts';
import { walk } from './desk';
import { time } from './format';
import { Badge, DetailHead, Empty, Facts, Part, RowButton, Table } from './Parts';
import { useReasoned } from './reasoned';
import type { Revocation } from './types';

type Tier = Revocation['tier'];

const TIERS: Record<Tier, string> = { unverified: 'Not verified', basic: 'Basic' };
interface ProposeProps {
  /** Whose verification it is, where that is known. */
  account?: number;
  tiers: readonly Tier[];
  done: () => void;
}

/** Proposes that an account falls back to a tier. */
export function Propose({ account, tiers, done }: ProposeProps) {
  const [typed, setTyped] = useState('');
  const [tier, setTier] = useState<Tier>('unverified');
  const { reason, setReason, trouble, busy, isSaid, send } = useReasoned('verifications/revoke', () => {
    setTyped('');
    done();
  });
  const whose = account ?? Number(typed);
  const isWhole = Number.isSafeInteger(whose) && whose > 0 && isSaid;
  const go = (event: FormEvent) => {
    event.preventDefault();
    void send({ account: whose, tier });
  };
  return (
    <Part title="Propose a revocation">
      <p className={css.dim}>Limits fall at once when another person agrees, within 72 hours.</p>
      <form className={css.order} onSubmit={go}>
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
                  <RowButton id={id} isChosen={id === chosen} label={`${row.state}: revocation ${id}`}>
                    <Badge tone={CASE_TONES[row.state]}>{row.state}</Badge>
                  </RowButton>
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
  return (
    <aside className={css.detail} aria-label={`Revocation ${row.case}`}>
      <DetailHead title={`Revocation ${row.case}`} close={close}>
        <Badge tone={CASE_TONES[row.state]}>{row.state}</Badge>
      </DetailHead>
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
      <CaseParts
        row={row}
        me={me}
        needs="RevokeVerifications"
        path={`revocations/${row.case}/decide`}
        yes="Agree and revoke"
        onlySees="Your role sees revocations and does not decide about them."
        done={done}
      />
    </aside>
  );
}

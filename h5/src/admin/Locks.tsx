/** Locked accounts: one person locks at once, two unlock. */
import { useQuery } from '@tanstack/react-query';
import css from './admin.module.css';
import { get, useSession } from './api';
import { CASE_TONES, CaseParts } from './CaseParts';
import { time } from './format';
import { Order } from './Order';
import { Badge, Table, Trouble } from './Parts';
import type { Unlock } from './types';

interface Told {
  rows: Unlock[];
  me: string;
}

const useUnlocks = () => useQuery({ queryKey: ['unlocks'], queryFn: () => get<Told>('unlocks') });

/** What was proposed and decided of late. */
export function Unlocks({ open }: { open: (account: string) => void }) {
  const { data, error, refetch } = useUnlocks();
  return (
    <>
      {error && <Trouble error={error} again={() => void refetch()} />}
      {data && data.rows.length > 0 && (
        <Table
          name="Accounts to unlock"
          heads={[['State'], ['Account', 'right'], ['Proposed by'], ['When'], ['Ends', 'right']]}
        >
          {data.rows.map((row) => (
            <tr key={row.case} onClick={() => open(String(row.account))}>
              <td>
                <button type="button" className={css.row} aria-label={`${row.state}: unlock account ${row.account}`}>
                  <Badge tone={CASE_TONES[row.state]}>{row.state}</Badge>
                </button>
              </td>
              <td className={css.right}>{row.account}</td>
              <td>{row.proposed_by}</td>
              <td>{time(row.proposed_ms)}</td>
              <td className={css.right}>{time(row.decided_ms ?? row.expires_ms)}</td>
            </tr>
          ))}
        </Table>
      )}
    </>
  );
}

interface LockProps {
  account: number;
  isLocked: boolean;
  done: () => void;
}

/** The account's lock, and how it comes off. */
export function LockPart({ account, isLocked, done }: LockProps) {
  const { may } = useSession();
  const { data, refetch } = useUnlocks();
  const again = () => {
    void refetch();
    done();
  };
  if (!isLocked) {
    if (!may('LockAccounts')) return null;
    return (
      <Order
        name="Lock at once"
        note="Sessions and API keys end. It takes two people to unlock it."
        path={`users/${account}/lock`}
        kind="no"
        done={again}
      />
    );
  }
  const open = data?.rows.find((row) => row.account === account && row.state === 'proposed');
  if (open && data)
    return (
      <CaseParts
        row={open}
        me={data.me}
        needs="UnlockAccounts"
        path={`unlocks/${open.case}/decide`}
        yes="Agree and unlock"
        onlySees="Your role sees locks and does not decide about them."
        done={again}
      />
    );
  if (!may('UnlockAccounts')) return null;
  return (
    <Order
      name="Propose to unlock"
      note="Another person has to agree, within 72 hours."
      path={`users/${account}/propose-unlock`}
      kind="yes"
      done={again}
    />
  );
}

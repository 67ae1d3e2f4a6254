/** Withdrawals: the queue, and beside it the one that is looked at. */
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import css from './admin.module.css';
import { get, useSession } from './api';
import { useAddress, walk } from './desk';
import { age, coins, FLAGS, flag, time } from './format';
import {
  Badge,
  Copyable,
  DetailHead,
  Empty,
  Facts,
  Head,
  Notes,
  Part,
  RowButton,
  Search,
  Table,
  type Tone,
  Trouble,
  Waiting,
} from './Parts';
import { Decision } from './Sign';
import type { Attempt, Withdrawal, WithdrawalDetail } from './types';

const EVERY_MS = 2_000;
/** Who waits for longer wants somebody to look. */
const LONG_MS = 3_600_000;
const STATES = ['pending', 'approved', 'planned', 'signed'] as const;
const TONES: Record<string, Tone> = { pending: 'warn', done: 'good', refused: 'bad', cancelled: 'bad' };

const State = ({ state }: { state: string }) => <Badge tone={TONES[state]}>{state}</Badge>;

function Flags({ names }: { names: string[] }) {
  return (
    <span className={css.flags}>
      {names.map((name) => {
        const [text, why] = flag(name);
        return (
          <Badge key={name} tone="warn" title={why}>
            {text}
          </Badge>
        );
      })}
    </span>
  );
}

const fits = (row: Withdrawal, text: string) =>
  [String(row.withdrawal), String(row.account), row.address, row.chain, row.asset_name].some((field) =>
    field.toLowerCase().includes(text.toLowerCase()),
  );

export function Withdrawals() {
  const { of, set } = useAddress();
  const filters = { state: of('state'), flag: of('flag'), text: of('q'), id: of('id'), set };
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['withdrawals'],
    queryFn: () => get<{ rows: Withdrawal[]; now_ms: number; me: string }>('withdrawals'),
    refetchInterval: EVERY_MS,
    placeholderData: keepPreviousData,
  });
  const rows = (data?.rows ?? []).filter(
    (row) =>
      (filters.state === '' || row.state === filters.state) &&
      (filters.flag === '' || row.flags.includes(filters.flag)) &&
      (filters.text === '' || fits(row, filters.text)),
  );

  const step = walk(
    rows.map(({ withdrawal }) => String(withdrawal)),
    filters.id,
    (id) => filters.set('id', id),
  );
  const waiting = (data?.rows ?? []).filter(({ state }) => state === 'pending').length;
  return (
    <>
      <Head title="Withdrawals" note={data && `${data.rows.length} open, ${waiting} waiting for people`}>
        <Search
          name="withdrawals"
          by="Number, account, address"
          text={filters.text}
          change={(text) => filters.set('q', text)}
        />
        <select aria-label="State" value={filters.state} onChange={({ target }) => filters.set('state', target.value)}>
          <option value="">All states</option>
          {STATES.map((state) => (
            <option key={state}>{state}</option>
          ))}
        </select>
        <select aria-label="Flag" value={filters.flag} onChange={({ target }) => filters.set('flag', target.value)}>
          <option value="">All flags</option>
          {Object.entries(FLAGS).map(([name, [text]]) => (
            <option key={name} value={name}>
              {text}
            </option>
          ))}
        </select>
      </Head>
      {error && <Trouble error={error} again={() => void refetch()} />}
      <div className={css.split} data-open={filters.id !== ''}>
        <div className={css.card}>
          {isPending && !error && <Waiting />}
          {data && rows.length === 0 && (
            <Empty title={data.rows.length === 0 ? 'Nothing is open' : 'None fits these filters'}>
              {data.rows.length === 0
                ? 'New withdrawals appear here by themselves.'
                : 'Take a filter away to see more.'}
            </Empty>
          )}
          {rows.length > 0 && (
            <Table
              name="Withdrawals"
              heads={[
                ['State'],
                ['Amount', 'right'],
                ['To'],
                ['Why people look'],
                ['Votes', 'right'],
                ['Age', 'right'],
              ]}
            >
              {rows.map((row) => {
                const waits = (data?.now_ms ?? 0) - row.requested_ms;
                const id = String(row.withdrawal);
                return (
                  <tr key={id} data-chosen={id === filters.id} onClick={() => filters.set('id', id)} onKeyDown={step}>
                    <td>
                      <RowButton id={id} isChosen={id === filters.id} label={`${row.state}: withdrawal ${id}`}>
                        <State state={row.state} />
                      </RowButton>
                    </td>
                    <td className={css.right}>
                      <b>{row.number}</b> {row.asset_name}
                    </td>
                    <td>
                      <span className={css.address}>{row.address}</span>
                      <small className={css.dim}>
                        {row.chain} · account {row.account}
                        {row.inside !== null && ` · inside, to ${row.inside}`}
                      </small>
                    </td>
                    <td>
                      {row.flags.length === 0 ? <span className={css.dim}>amount</span> : <Flags names={row.flags} />}
                    </td>
                    <td className={css.right}>
                      {row.agreed.length} of {row.needed}
                    </td>
                    <td
                      className={css.right}
                      data-tone={row.state === 'pending' && waits > LONG_MS ? 'warn' : undefined}
                    >
                      {age(waits)}
                    </td>
                  </tr>
                );
              })}
            </Table>
          )}
        </div>
        {filters.id !== '' && <Detail key={filters.id} id={filters.id} close={() => filters.set('id', '')} />}
      </div>
    </>
  );
}

function Detail({ id, close }: { id: string; close: () => void }) {
  const { may } = useSession();
  const queries = useQueryClient();
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['withdrawal', id],
    queryFn: () => get<WithdrawalDetail>(`withdrawals/${id}`),
    refetchInterval: EVERY_MS,
    placeholderData: keepPreviousData,
  });

  const decided = () => {
    void queries.invalidateQueries({ queryKey: ['withdrawals'] });
    void refetch();
  };
  return (
    <aside className={css.detail} aria-label={`Withdrawal ${id}`}>
      <DetailHead title={data ? `${data.number} ${data.asset_name}` : `Withdrawal ${id}`} close={close}>
        {data && <State state={data.state} />}
      </DetailHead>
      {error && <Trouble error={error} again={() => void refetch()} />}
      {isPending && !error && <Waiting />}
      {data && (
        <>
          <Facts
            rows={[
              ['Number', data.withdrawal],
              [
                'Account',
                <a key="account" href={`#/users?id=${data.account}`}>
                  {data.account}
                </a>,
              ],
              ['Chain', data.chain],
              ['Fee, taken off the amount', `${data.fee} ${data.asset_name}`],
              ['Asked for', `${time(data.requested_ms)}, ${age(data.now_ms - data.requested_ms)} ago`],
              ['Agreed', `${data.agreed.length} of ${data.needed}`],
            ]}
          />
          <Part title="To">
            <Copyable text={data.address} name="the address" />
            {data.inside !== null && <p>An address of account {data.inside} here: nothing goes over the chain.</p>}
          </Part>
          {data.flags.length > 0 && (
            <Part title="Why people look">
              <ul className={css.whys}>
                {data.flags.map((name) => (
                  <li key={name}>
                    <Badge tone="warn">{flag(name)[0]}</Badge> {flag(name)[1]}
                  </li>
                ))}
              </ul>
            </Part>
          )}
          <Voting data={data} may={may('VoteWithdrawals')} decided={decided} />
          <Way data={data} />
          <Part title="What people did">
            <Notes rows={data.notes} />
          </Part>
        </>
      )}
    </aside>
  );
}

function Voting({ data, may, decided }: { data: WithdrawalDetail; may: boolean; decided: () => void }) {
  if (data.state !== 'pending' && data.state !== 'approved') return null;
  const words = () => {
    if (!may) return 'Your role sees withdrawals and does not decide about them.';
    if (data.own) return 'This is about your own account: somebody else decides.';
    if (data.state === 'approved') return 'Enough people agreed. Until it is planned, one person can still refuse it.';
    if (data.agreed.includes(data.me)) return 'You agreed. It needs another person; you can still refuse it.';
    return null;
  };
  const said = words();
  return (
    <Part title="Decide">
      {said !== null && <p>{said}</p>}
      {may && !data.own && (
        <Decision
          path={`withdrawals/${data.withdrawal}/vote`}
          field="agrees"
          yes="Agree"
          no="Refuse"
          mayAgree={data.state === 'pending' && !data.agreed.includes(data.me)}
          done={decided}
        />
      )}
    </Part>
  );
}

function payments({ inputs, payments, fee_units, decimals, coin }: Attempt): string {
  const fee = `${coins(fee_units, decimals)} ${coin}`;
  return inputs === 0 ? `one payment, gas ${fee} at most` : `${inputs} inputs, ${payments} payments, chain fee ${fee}`;
}

/** Its way so far: states with their times, the transactions that pay it. */
function Way({ data }: { data: WithdrawalDetail }) {
  return (
    <Part title="Way">
      <ol className={css.way}>
        {data.timeline.map(({ state, at_ms }) => (
          <li key={state}>
            <strong>{state}</strong> <span className={css.dim}>{time(at_ms)}</span>
          </li>
        ))}
        {data.timeline.length === 0 && <li className={css.dim}>The store has not caught up yet.</li>}
      </ol>
      {data.attempts.map((attempt) => (
        <div key={attempt.attempt} className={css.attempt}>
          <p>
            Plan {data.plan}, transaction {attempt.attempt + 1}: {payments(attempt)}
          </p>
          {attempt.txid === null ? (
            <p className={css.dim}>waits for the signer</p>
          ) : (
            <Copyable text={attempt.txid} name="the transaction" />
          )}
        </div>
      ))}
      {data.failed !== null && (
        <p data-tone="bad">
          Its transaction is final and moved nothing: two people agree to pay it again, or one refuses it.
        </p>
      )}
      {data.attempts.length === 0 && data.txid !== null && <Copyable text={data.txid} name="the transaction" />}
    </Part>
  );
}

/** Whether what users are owed, what the exchange has and what lies outside of it agree. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import css from './admin.module.css';
import { get } from './api';
import { age, coins, sum, time } from './format';
import { Badge, Empty, Head, ReserveState, Table, Trouble, Waiting } from './Parts';
import type { Chain } from './types';

const EVERY_MS = 60_000;
/** The store is late beyond this. */
const LATE_MS = 10_000;

interface AssetSums {
  asset: string;
  users: string;
  outside: string;
  /** Zero, unless something is wrong. */
  difference: string;
  exchange: { who: string; amount: string }[];
}

interface Told {
  record: number;
  at_ms: number;
  assets: AssetSums[];
  chains: Chain[];
  store: { behind_records: number; behind_ms: number; failing_s: number | null };
  audit: { broken: boolean; anchored_rows: number | null; anchored_ms: number | null };
}

export function Reconciliation() {
  const { data, error, isPending, isFetching, refetch } = useQuery({
    queryKey: ['reconciliation'],
    queryFn: () => get<Told>('reconciliation'),
    refetchInterval: EVERY_MS,
    placeholderData: keepPreviousData,
    retry: false,
  });
  return (
    <>
      <Head
        title="Reconciliation"
        note={data && `Up to record ${sum(String(data.record), 0)} at least, ${time(data.at_ms)}`}
      >
        <button type="button" className={css.quiet} disabled={isFetching} onClick={() => void refetch()}>
          {isFetching ? 'Reading…' : 'Refresh'}
        </button>
      </Head>
      {error && <Trouble error={error} again={() => void refetch()} />}
      {isPending && !error && <Waiting />}
      {data && (
        <>
          <Verdicts told={data} />
          <section className={css.card}>
            <h2>Assets</h2>
            <Assets rows={data.assets} />
          </section>
          <section className={css.card}>
            <h2>Coins at nodes</h2>
            <Nodes told={data} />
          </section>
        </>
      )}
    </>
  );
}

function Verdicts({ told }: { told: Told }) {
  const wrong = told.assets.filter(({ difference }) => difference !== '0');
  const { behind_ms, behind_records, failing_s } = told.store;
  const { broken, anchored_rows, anchored_ms } = told.audit;
  return (
    <div className={css.check}>
      {wrong.length === 0 ? (
        <Badge tone="good">All assets reconcile</Badge>
      ) : (
        <Badge tone="bad">Does not reconcile: {wrong.map(({ asset }) => asset).join(', ')}</Badge>
      )}
      {failing_s !== null ? (
        <Badge tone="bad">The store has failed for {age(failing_s * 1_000)}</Badge>
      ) : behind_ms > LATE_MS ? (
        <Badge tone="warn">
          The store is {behind_records} records and {age(behind_ms)} behind
        </Badge>
      ) : (
        <Badge tone="good">The store is up to date</Badge>
      )}
      {broken ? (
        <Badge tone="bad">The audit is not what the journal says</Badge>
      ) : anchored_rows !== null && anchored_ms !== null ? (
        <Badge tone="good">
          The audit is anchored up to row {anchored_rows}, {time(anchored_ms)}
        </Badge>
      ) : (
        <Badge>The audit has no anchor yet</Badge>
      )}
    </div>
  );
}

function Assets({ rows }: { rows: AssetSums[] }) {
  if (rows.length === 0) return <Empty title="Nobody has anything yet" />;
  return (
    <Table
      name="Assets"
      heads={[
        ['Asset'],
        ['Owed to users', 'right'],
        ['Outside, on chains', 'right'],
        ['Difference', 'right'],
        ['Accounts of the exchange'],
      ]}
    >
      {rows.map((row) => (
        <tr key={row.asset}>
          <td>
            <b>{row.asset}</b>
          </td>
          <td className={css.right}>{sum(row.users, 8)}</td>
          <td className={css.right}>{sum(row.outside, 8)}</td>
          <td className={css.right} data-tone={row.difference === '0' ? undefined : 'bad'}>
            {sum(row.difference, 8)}
          </td>
          <td className={css.wrap}>
            {row.exchange.map(({ who, amount }) => `${who.replaceAll('_', ' ')} ${sum(amount, 8)}`).join(' · ')}
          </td>
        </tr>
      ))}
    </Table>
  );
}

function Nodes({ told }: { told: Told }) {
  if (told.chains.length === 0) return <Empty title="No chain is set up" />;
  return (
    <Table
      name="Coins at nodes"
      heads={[
        ['Chain'],
        ['Asset'],
        ['Result'],
        ['In the ledger', 'right'],
        ['At the node', 'right'],
        ['Besides', 'right'],
        ['Looked at'],
      ]}
    >
      {told.chains.flatMap(({ chain, name, assets, check_trouble }) =>
        assets.map(({ asset_name, reserve, decimals }) => (
          <tr key={`${chain} ${asset_name}`}>
            <td>
              <a href="#/chains">{name}</a>
            </td>
            <td>{asset_name}</td>
            <td>
              {check_trouble !== null && <Badge tone="warn">{check_trouble}</Badge>}
              {reserve === null ? <Badge>not looked at yet</Badge> : <ReserveState reserve={reserve} />}
            </td>
            <td className={css.right}>{reserve && coins(reserve.held_units, decimals)}</td>
            <td className={css.right}>{reserve && coins(reserve.found_units, decimals)}</td>
            <td className={css.right}>{reserve && coins(reserve.besides_units, decimals)}</td>
            <td>{reserve && `block ${reserve.height}, ${age(told.at_ms - reserve.at_ms)} ago`}</td>
          </tr>
        )),
      )}
    </Table>
  );
}

/** The audit: rows, whether the chain of hashes holds, a file. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import css from './admin.module.css';
import { get, useSession } from './api';
import { useAddress } from './desk';
import { time } from './format';
import { Badge, Copyable, Empty, Head, Table, Trouble, Waiting } from './Parts';
import type { AuditRow } from './types';

const FILTERS = [
  ['actor', 'By whom', 'anna@staff-1'],
  ['action', 'What begins with', 'agree'],
  ['subject', 'About', 'withdrawal:1'],
] as const;

function detailOf(row: AuditRow): string {
  if (typeof row.detail === 'string') return row.detail;
  return Object.entries(row.detail)
    .filter(([name, value]) => !['statement', 'signed'].includes(name) && value !== null && value !== '')
    .map(([name, value]) =>
      name === 'reason' ? String(value) : `${name}: ${typeof value === 'object' ? JSON.stringify(value) : value}`,
    )
    .join(' · ');
}

const isSigned = ({ detail }: AuditRow) => typeof detail === 'object' && 'signed' in detail;

interface Checked {
  rows: number | null;
  newest: string | null;
  broken: number | null;
  /** The newest in the journal. */
  anchor: { rows: number; at_ms: number; holds: boolean } | null;
}

function Check() {
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['audit check'],
    queryFn: () => get<Checked>('audit/check'),
  });
  return (
    <div className={css.check}>
      {error && <Badge tone="bad">{error.message}</Badge>}
      {data?.broken !== null && data !== undefined && (
        <Badge tone="bad">Row {data.broken} was changed, or one before it was removed</Badge>
      )}
      {data?.anchor?.holds && (data.broken === null || data.broken > data.anchor.rows) && (
        <Badge tone="good">
          The first {data.anchor.rows} rows are as the journal anchored them on {time(data.anchor.at_ms)}
        </Badge>
      )}
      {data?.anchor && !data.anchor.holds && (
        <Badge tone="bad">Row {data.anchor.rows} is not what the journal says: rows were cut off or written anew</Badge>
      )}
      {data && data.newest !== null && (
        <>
          <Badge tone="good">Each of {data.rows} rows continues the chain</Badge>
          <span className={css.dim}>Newest hash, to compare with an earlier one:</span>
          <Copyable text={data.newest} name="the newest hash" />
        </>
      )}
      <span className={css.space} />
      <button type="button" className={css.quiet} disabled={isFetching} onClick={() => void refetch()}>
        {isFetching ? 'Checking…' : 'Check again'}
      </button>
    </div>
  );
}

export function Audit() {
  const { may } = useSession();
  const { of, set, text: wanted } = useAddress();
  const { data, error, isPending, isFetching, hasNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: ['audit', wanted],
    queryFn: ({ pageParam }) => {
      const asked = new URLSearchParams(wanted);
      if (pageParam !== null) asked.set('before', String(pageParam));
      return get<{ rows: AuditRow[]; next: number | null }>(`audit?${asked}`);
    },
    initialPageParam: null as number | null,
    getNextPageParam: ({ next }) => next,
  });
  const rows = data?.pages.flatMap((page) => page.rows) ?? [];
  return (
    <>
      <Head title="Audit">
        {FILTERS.map(([name, label, example]) => (
          <input
            key={name}
            type="search"
            aria-label={label}
            placeholder={`${label}: ${example}`}
            value={of(name)}
            onChange={({ target }) => set(name, target.value)}
          />
        ))}
        {may('ExportAudit') && (
          <a className={css.button} href={`/admin/api/audit.csv?${wanted}`} download="audit.csv">
            Export CSV
          </a>
        )}
      </Head>
      <Check />
      {error && <Trouble error={error} again={() => void refetch()} />}
      <div className={css.card}>
        {isPending && !error && <Waiting />}
        {data && rows.length === 0 && <Empty title="No row fits">Take a filter away to see more.</Empty>}
        {rows.length > 0 && (
          <Table
            name="Audit"
            heads={[['Row'], ['When'], ['Who'], ['What'], ['About'], ['Why and what else'], ['From']]}
          >
            {rows.map((row) => (
              <tr key={row.id}>
                <td className={css.dim}>{row.id}</td>
                <td>{time(row.at_ms)}</td>
                <td>{row.actor}</td>
                <td>
                  {row.action} {isSigned(row) && <Badge tone="good">signed</Badge>}
                </td>
                <td>{row.subject}</td>
                <td className={css.wrap}>{detailOf(row)}</td>
                <td className={css.dim}>{row.ip === '' ? 'tool' : row.ip}</td>
              </tr>
            ))}
          </Table>
        )}
        {hasNextPage && (
          <button type="button" className={css.quiet} disabled={isFetching} onClick={() => void fetchNextPage()}>
            {isFetching ? 'Loading…' : 'Older rows'}
          </button>
        )}
      </div>
    </>
  );
}

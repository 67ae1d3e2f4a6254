/** Reports of days: money, volume, users, waits; a line's days as a plot, the whole as a file. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import css from './admin.module.css';
import { get, useSession } from './api';
import { useAddress, walk } from './desk';
import { age, sum, time } from './format';
import { DetailHead, Empty, Facts, Head, Part, RowButton, Table, Trouble, Waiting } from './Parts';
import type { Measure, Report, ReportRow } from './types';

const REPORTS = [
  [
    'money',
    'Money',
    'What wallets received and gave, of users together and of each account of the exchange. A transfer between wallets is in both.',
  ],
  ['volume', 'Volume', 'What was traded. Users’ sides count twice where users traded with each other.'],
  ['users', 'Users', 'Who registered, and verifications that were decided.'],
  ['waiting', 'Waiting', 'How long people waited, by the day on which they began to.'],
] as const;

const NAMES: Record<string, string> = {
  who: 'Account',
  product: 'Product',
  kind: 'Kind',
  asset: 'Asset',
  market: 'Market',
  what: 'What',
  moves: 'Movements',
  flow_in: 'In',
  flow_out: 'Out',
  trades: 'Trades',
  value: 'Value',
  of_users: 'Users’ sides',
  users: 'Users',
  count: 'Count',
  median_s: 'Median',
  p90_s: '90th percentile',
  longest_s: 'Longest',
};

const DAY_MS = 86_400_000;
const DAYS = [7, 30, 90] as const;

const nameOf = (name: string) => NAMES[name] ?? name;
const wordOf = (text: string) => text.replaceAll('_', ' ');
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
const daysAgo = (days: number) => dayOf(Date.now() - days * DAY_MS);
const idOf = ({ key }: ReportRow) => key.join('|');

function textOf(text: string, { kind }: Measure): string {
  return kind === 'seconds' ? age(Number(text) * 1_000) : sum(text, 8);
}

export function Reports() {
  const { may } = useSession();
  const { of, set, setAll } = useAddress();
  const report = REPORTS.find(([name]) => name === of('report')) ?? REPORTS[0];
  const [name, , note] = report;
  const since = of('since') || daysAgo(29);
  const until = of('until') || daysAgo(0);
  const asked = new URLSearchParams({ report: name, since, until }).toString();
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['reports', asked],
    queryFn: () => get<Report>(`reports?${asked}`),
    placeholderData: keepPreviousData,
    retry: false,
  });
  const told = data?.report === name ? data : undefined;
  const chosen = told?.rows.find((row) => idOf(row) === of('row'));
  return (
    <>
      <Head title="Reports" note={told && `Up to record ${sum(String(told.record), 0)} at least, ${time(told.at_ms)}`}>
        <select
          aria-label="Report"
          value={name}
          onChange={({ target }) => setAll({ report: target.value, row: '', whose: '' })}
        >
          {REPORTS.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
        {told && told.keys.length > 1 && (
          <select
            aria-label={nameOf(told.keys[0] ?? '')}
            value={of('whose')}
            onChange={({ target }) => set('whose', target.value)}
          >
            <option value="">{`${nameOf(told.keys[0] ?? '')}: all`}</option>
            {[...new Set(told.rows.map(({ key }) => key[0] ?? ''))].map((first) => (
              <option key={first} value={first}>
                {wordOf(first)}
              </option>
            ))}
          </select>
        )}
        {DAYS.map((days) => (
          <button
            key={days}
            type="button"
            className={css.quiet}
            aria-pressed={since === daysAgo(days - 1) && until === daysAgo(0)}
            onClick={() => setAll({ since: daysAgo(days - 1), until: '' })}
          >
            {days} days
          </button>
        ))}
        <input
          type="date"
          aria-label="First day (UTC)"
          value={since}
          max={until}
          onChange={({ target }) => set('since', target.value)}
        />
        <input
          type="date"
          aria-label="Last day (UTC)"
          value={until}
          min={since}
          onChange={({ target }) => set('until', target.value)}
        />
        <button type="button" className={css.quiet} disabled={isFetching} onClick={() => void refetch()}>
          {isFetching ? 'Reading…' : 'Refresh'}
        </button>
        {may('TakeReports') &&
          (['csv', 'parquet'] as const).map((format) => (
            <a key={format} className={css.button} href={`/admin/api/reports/file?${asked}&format=${format}`} download>
              {format === 'csv' ? 'CSV' : 'Parquet'}
            </a>
          ))}
      </Head>
      <p className={css.dim}>{note} Days are those of UTC.</p>
      {error && <Trouble error={error} again={() => void refetch()} />}
      <div className={css.split} data-open={chosen !== undefined}>
        <div className={css.card}>
          {!told && !error && <Waiting />}
          {told && <Lines report={told} chosen={of('row')} whose={of('whose')} set={set} />}
        </div>
        {told && chosen && <Detail report={told} row={chosen} close={() => set('row', '')} />}
      </div>
    </>
  );
}

interface LinesProps {
  report: Report;
  chosen: string;
  /** The first key that is looked at alone. */
  whose: string;
  set: (name: string, value: string) => void;
}

function Lines({ report, chosen, whose, set }: LinesProps) {
  const { keys, measures } = report;
  const rows = report.rows.filter(({ key }) => whose === '' || key[0] === whose);
  const step = walk(rows.map(idOf), chosen, (id) => set('row', id));
  if (report.rows.length === 0) return <Empty title="No data for these days">Choose other days.</Empty>;
  return (
    <Table
      name="Report"
      heads={[
        ...keys.map((key): [string] => [nameOf(key)]),
        ...measures.map(({ name }): [string, 'right'] => [nameOf(name), 'right']),
      ]}
    >
      {rows.map((row) => {
        const id = idOf(row);
        const [first = '', ...others] = row.key;
        return (
          <tr key={id} data-chosen={id === chosen} onClick={() => set('row', id)} onKeyDown={step}>
            <td>
              <RowButton id={id} isChosen={id === chosen} label={row.key.map(wordOf).join(', ')}>
                <b>{wordOf(first)}</b>
              </RowButton>
            </td>
            {others.map((key, at) => (
              <td key={keys[at + 1]}>{wordOf(key)}</td>
            ))}
            {measures.map((measure, at) => (
              <td key={measure.name} className={css.right}>
                {textOf(row.total[at] ?? '0', measure)}
              </td>
            ))}
          </tr>
        );
      })}
    </Table>
  );
}

function Detail({ report, row, close }: { report: Report; row: ReportRow; close: () => void }) {
  const { measures, days } = report;
  const title = row.key.map(wordOf).join(', ');
  return (
    <aside className={css.detail} aria-label={title}>
      <DetailHead title={title} close={close} />
      <Facts rows={measures.map((measure, at) => [nameOf(measure.name), textOf(row.total[at] ?? '0', measure)])} />
      {measures.map((measure, at) => (
        <Part key={measure.name} title={`${nameOf(measure.name)} by day`}>
          <Bars days={days} values={row.days[at] ?? []} measure={measure} />
        </Part>
      ))}
    </aside>
  );
}

const WIDTH = 400;
const HEIGHT = 80;

/** A bar a day: the highest has the whole height, its number stands beside. */
function Bars({ days, values, measure }: { days: string[]; values: string[]; measure: Measure }) {
  const numbers = values.map(Number);
  const most = Math.max(0, ...numbers);
  const step = WIDTH / Math.max(1, days.length);
  const highest = values[numbers.indexOf(most)] ?? '0';
  return (
    <figure className={css.bars}>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${nameOf(measure.name)} from ${days[0]} to ${days.at(-1)}, ${textOf(highest, measure)} at most`}
      >
        {numbers.map((number, at) => {
          const height = most === 0 ? 0 : Math.max(number > 0 ? 1 : 0, (number / most) * HEIGHT);
          return (
            <rect key={days[at]} x={at * step} y={HEIGHT - height} width={Math.max(step - 1, 0.5)} height={height}>
              <title>{`${days[at]}: ${textOf(values[at] ?? '0', measure)}`}</title>
            </rect>
          );
        })}
      </svg>
      <figcaption>
        <span>{days[0]}</span>
        <span>{textOf(highest, measure)} at most</span>
        <span>{days.at(-1)}</span>
      </figcaption>
    </figure>
  );
}

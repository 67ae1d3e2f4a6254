/** One panel for each part of the exchange. */
import { Chart } from './Chart';
import { bytes, micros, percent, seconds, short, whole } from './format';
import { busiest, type History, resting } from './model';
import css from './ops.module.css';
import { Figures, Panel, Table, Tile, type Tone } from './Parts';
import type { Snapshot } from './types';

export interface Props {
  now: Snapshot;
  history: History;
}

const above = (value: number | null, warn: number, bad: number): Tone => {
  if (value === null || value <= warn) return undefined;
  return value > bad ? 'bad' : 'warn';
};

export function Tiles({ now, history }: Props) {
  const { ledger, orders, journal, persister, cell, process } = now;
  const count = ledger ? `${ledger.assets.length} assets` : '–';
  return (
    <div className={css.tiles}>
      <Tile
        name="Orders / s"
        value={short(orders.rate)}
        chart={<Chart label="Orders a second, two minutes" lines={[{ points: history.orders }]} />}
      />
      <Tile
        name="Answered, p99"
        value={micros(orders.ack_p99_us)}
        tone={above(orders.ack_p99_us, 5_000, 50_000)}
        chart={<Chart label="Time of answers, two minutes" lines={[{ points: history.ack }]} />}
      />
      <Tile
        name="Commands / s"
        value={short(cell.commands_rate)}
        chart={<Chart label="Commands a second, two minutes" lines={[{ points: history.commands }]} />}
      />
      <Tile
        name="Sync, p99"
        value={micros(journal.fsync_p99_us)}
        tone={above(journal.fsync_p99_us, 10_000, 50_000)}
        chart={<Chart label="Time of syncs, two minutes" lines={[{ points: history.fsync99 }]} />}
      />
      <Tile
        name="Store behind"
        value={`${whole(persister.lag_records)} rec`}
        tone={persister.stopped ? 'bad' : above(persister.lag_s, 10, 60)}
        chart={<Chart label="Records behind, two minutes" lines={[{ points: history.lag }]} />}
      />
      <Tile
        name="Processor"
        value={percent(process.cpu)}
        chart={<Chart label="Processor, two minutes" lines={[{ points: history.cpu }]} />}
      />
      <Tile
        name={`Imbalance, ${count}`}
        value={ledger === null ? '–' : ledger.balanced ? '0' : 'NOT 0'}
        tone={ledger === null ? undefined : ledger.balanced ? 'good' : 'bad'}
      />
    </div>
  );
}

export function Actors({ now }: Props) {
  const heads = ['Kind', 'Alive', 'Waiting', 'Msg / s', 'p50', 'p99', 'Wait p99', 'Last', 'Slowest of late'];
  return (
    <Panel title="Actors" note="times of the last 10 s, sampled" wide>
      <Table name="Actors" heads={heads} brief="actors">
        {now.actors.map((kind) => (
          <tr key={kind.type}>
            <th scope="row">
              {kind.type}
              {kind.crashes > 0 && <span data-tone="bad"> {kind.crashes} crashes</span>}
            </th>
            <td>{whole(kind.alive)}</td>
            <td data-tone={kind.depth > 0 && (kind.idle_s ?? 0) > 5 ? 'bad' : undefined}>{whole(kind.depth)}</td>
            <td>{short(kind.rate)}</td>
            <td>{micros(kind.p50_us)}</td>
            <td>{micros(kind.p99_us)}</td>
            <td>{micros(kind.wait_p99_us)}</td>
            <td>{seconds(kind.idle_s)}</td>
            <td className={css.text}>
              {kind.slowest ? `${micros(kind.slowest.us)} ${kind.slowest.msg}, ${kind.slowest.entity}` : '–'}
            </td>
          </tr>
        ))}
      </Table>
      <Table name="Messages" heads={['Message', 'Total', 'Msg / s', 'p99']} low>
        {busiest(now).map(({ type, msg, total, rate, p99_us }) => (
          <tr key={`${type} ${msg}`}>
            <th scope="row">
              {type} <span className={css.dim}>{msg}</span>
            </th>
            <td>{whole(total)}</td>
            <td>{short(rate)}</td>
            <td>{micros(p99_us)}</td>
          </tr>
        ))}
      </Table>
    </Panel>
  );
}

export function Cell({ now, history }: Props) {
  const { cell } = now;
  return (
    <Panel title="Cell" note={`${whole(cell.entities)} entities`}>
      <Chart label="Items that wait, two minutes" lines={[{ points: history.waiting, tone: 'warn' }]} />
      <Figures
        rows={[
          ['LSN', whole(cell.lsn)],
          ['On their way in', whole(cell.ingress)],
          ['Run queue', whole(cell.queue)],
          ['At the gate', whole(cell.gate)],
          ['Refused / s', short(cell.rejects_rate)],
          ['Told busy / s', short(cell.busy_rate), above(cell.busy_rate, 0, 10)],
          ['Credits: orders', whole(cell.credits.orders), cell.credits.orders <= 0 ? 'bad' : undefined],
          ['Credits: cancels', whole(cell.credits.cancels), cell.credits.cancels <= 0 ? 'bad' : undefined],
          ['Digests', whole(cell.digests)],
          ['Clock off by', `${cell.clock_offset_ms} ms`, above(Math.abs(cell.clock_offset_ms), 1_000, 60_000)],
        ]}
      />
      {cell.halted.length > 0 && <p data-tone="bad">Halted: {cell.halted.join(', ')}</p>}
    </Panel>
  );
}

export function Journal({ now, history }: Props) {
  const { journal } = now;
  return (
    <Panel title="Journal" note="sync p50, p99">
      <Chart
        label="Time of syncs, two minutes: p50 and p99"
        lines={[{ points: history.fsync99, tone: 'warn' }, { points: history.fsync50 }]}
      />
      <Figures
        rows={[
          ['LSN', whole(journal.last)],
          ['Durable', whole(journal.durable)],
          ['Not durable yet', whole(journal.pending)],
          ['Records / s', short(journal.rate)],
          ['Syncs / s', short(journal.syncs_rate)],
          ['Group, mean', short(journal.group_mean)],
          ['Group, p99', short(journal.group_p99)],
          ['Sync, p50', micros(journal.fsync_p50_us)],
          ['Sync, p99', micros(journal.fsync_p99_us), above(journal.fsync_p99_us, 10_000, 50_000)],
          ['Capacity', journal.capacity, journal.capacity === 'plenty' ? 'good' : 'bad'],
          ['Spare segments', whole(journal.spares), journal.spares < 2 ? 'bad' : undefined],
          ['Segments', bytes(journal.segment_bytes)],
          ['Free on disk', bytes(journal.free_bytes)],
          ['Snapshot', seconds(journal.snapshot_age_s)],
        ]}
      />
    </Panel>
  );
}

export function Persister({ now, history }: Props) {
  const { persister } = now;
  return (
    <Panel title="Persister" note={persister.stopped ? 'stopped' : `rows up to ${whole(persister.watermark)}`}>
      <Chart label="Rows a second, two minutes" lines={[{ points: history.rows, tone: 'up' }]} />
      <Figures
        rows={[
          ['Behind', `${whole(persister.lag_records)} records`],
          ['Oldest', seconds(persister.lag_s), above(persister.lag_s, 10, 60)],
          ['Rows / s', short(persister.rows_rate)],
          ['Batch, p50', micros(persister.batch_p50_us)],
          ['Batch, p99', micros(persister.batch_p99_us)],
          ['Failed attempts', whole(persister.errors)],
          ['Failing for', seconds(persister.failing_s), persister.failing_s === null ? undefined : 'bad'],
        ]}
      />
    </Panel>
  );
}

export function Sockets({ now, history }: Props) {
  const { sockets } = now;
  const waiting = sockets.open.reduce((sum, one) => sum + one.bytes, 0);
  return (
    <Panel title="Sockets and calls" note={`${short(sockets.requests_rate)} requests / s`}>
      <Chart label="From a trade to its frame, two minutes" lines={[{ points: history.fanout }]} />
      <Figures
        rows={[
          ...sockets.open.map(({ kind, sessions }): [string, string] => [`Open: ${kind}`, whole(sessions)]),
          ['Waits for them', bytes(waiting)],
          ['Joined / s', short(sockets.conflated_rate)],
          ['Trade to frame, p50', micros(sockets.fanout_p50_us)],
          ['Trade to frame, p99', micros(sockets.fanout_p99_us)],
          ...sockets.dropped.map(({ reason, count }): [string, string] => [
            `Ended: ${reason.replace('_', ' ')}`,
            whole(count),
          ]),
        ]}
      />
    </Panel>
  );
}

function PriceRow({ feed, rests }: { feed: Snapshot['feeds'][number]; rests: boolean }) {
  const stateTone = feed.state === 'Trading' ? 'good' : 'warn';
  return (
    <tr data-dim={rests}>
      <th scope="row">{feed.symbol}</th>
      <td>{feed.price ?? '–'}</td>
      <td data-tone={rests ? undefined : above(feed.age_s, 5, 10)}>{seconds(feed.age_s)}</td>
      <td>{short(feed.trades_rate)}</td>
      <td data-tone={rests ? undefined : stateTone}>{feed.state}</td>
    </tr>
  );
}

export function Feeds({ now }: Props) {
  const rest = resting(now);
  return (
    <Panel title="Prices" note={Array.from(new Set(now.feeds.map(({ source }) => source))).join(', ')}>
      <Table name="Prices" heads={['Pair', 'Price', 'Age', 'Trades / s', 'State']}>
        {now.feeds.map((feed) => (
          <PriceRow key={feed.symbol} feed={feed} rests={rest.has(feed.symbol)} />
        ))}
      </Table>
      <Table name="House" heads={['House quotes', 'Spread', 'Levels', 'Has', 'Age']}>
        {now.feeds
          .filter(({ symbol }) => !rest.has(symbol))
          .map(({ symbol, spread, house }) => (
            <tr key={symbol}>
              <th scope="row" data-tone={house.quotes ? 'good' : 'bad'}>
                {house.quotes ? '✓' : '✗'} {symbol}
              </th>
              <td>{spread ?? '–'}</td>
              <td>{whole(house.levels)}</td>
              <td>{short(Number(house.inventory))}</td>
              <td data-tone={above(house.age_s, 5, 10)}>{seconds(house.age_s)}</td>
            </tr>
          ))}
      </Table>
    </Panel>
  );
}

export function Contracts({ now }: Props) {
  const { list, funds } = now.contracts;
  if (list.length === 0) return null;
  return (
    <Panel title="Contracts" note="values at the index">
      <ul className={css.chips}>
        {list.map((one) => (
          <li key={one.symbol} data-tone={one.live ? 'good' : 'bad'}>
            {one.live ? '✓' : '✗'} {one.symbol} <b>{percent(one.cap_used)} of caps</b>
          </li>
        ))}
        {list.map((one) => (
          <li key={`${one.symbol} tickets`}>
            {one.symbol} <b>{`${whole(one.open)} open, ${whole(one.waiting)} waiting`}</b>
          </li>
        ))}
        {list.map((one) => (
          <li key={`${one.symbol} sides`}>
            {one.symbol} long <b>{short(Number(one.long.notional))}</b> short <b>{short(Number(one.short.notional))}</b>
          </li>
        ))}
        {list.map((one) => (
          <li key={`${one.symbol} liquidated`}>
            {one.symbol} liquidated <b>{whole(one.liquidated)}</b>
          </li>
        ))}
      </ul>
      <ul className={css.chips}>
        {list.flatMap(({ symbol, book }) =>
          book
            ? [
                <li key={`${symbol} book`}>
                  {symbol} book{' '}
                  <b>{`${whole(book.legs)} positions, ${whole(book.orders)} orders, ${whole(book.waiting)} waiting`}</b>
                </li>,
                <li key={`${symbol} quota`} data-tone={book.deleveraged > 0 ? 'bad' : undefined}>
                  {symbol} quota <b>{short(Number(book.quota))}</b> liquidation steps <b>{whole(book.steps)}</b>{' '}
                  deleveraged <b>{whole(book.deleveraged)}</b>
                </li>,
              ]
            : [],
        )}
      </ul>
      {funds && (
        <ul className={css.chips}>
          {funds.map(({ account, asset, amount }) => (
            <li key={`${account} ${asset}`}>
              {account} <b>{`${short(Number(amount))} ${asset}`}</b>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

export function Ledger({ now }: Props) {
  const { ledger } = now;
  if (!ledger) return <Panel title="Ledger">Not counted yet.</Panel>;
  return (
    <Panel
      title="Ledger"
      note={`${whole(ledger.accounts)} accounts at ${whole(ledger.lsn)}, ${seconds(ledger.age_s)} ago`}
    >
      <p className={css.verdict} data-tone={ledger.balanced ? 'good' : 'bad'}>
        {ledger.balanced ? '✓ every asset sums to 0' : '✗ the ledger does not balance: stop and audit'}
      </p>
      <ul className={css.chips}>
        {ledger.assets.map(({ asset, sum }) => (
          <li key={asset} data-tone={sum === '0' ? undefined : 'bad'}>
            {asset} <b>{sum}</b>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

export function Machine({ now, history }: Props) {
  const { process } = now;
  const most = Math.max(...process.threads.map(({ cpu }) => cpu), 0.01);
  return (
    <Panel title="Process" note={`${bytes(process.rss_bytes)} resident`}>
      <Chart label="Resident memory, two minutes" lines={[{ points: history.memory, tone: 'up' }]} />
      <ul className={css.bars} aria-label="Processor by thread">
        {process.threads.map(({ name, cpu }) => (
          <li key={name}>
            <span>{name}</span>
            <i style={{ transform: `scaleX(${cpu / most})` }} />
            <b>{percent(cpu)}</b>
          </li>
        ))}
      </ul>
      <Figures rows={[['Files open', `${whole(process.fds)} of ${whole(process.max_fds)}`]]} />
    </Panel>
  );
}

/** One panel for each product that is on and has something to show. */
import { Chart } from './Chart';
import { countdown, exact, ofMillion, seconds, short, whole } from './format';
import { deskState, fullest, resting } from './model';
import css from './ops.module.css';
import type { Props } from './Panels';
import { Figures, Limits, Panel, Table, type Tone, Used } from './Parts';
import type { Chain, ChainWithdrawals, Desk, Stock, Venue } from './types';

export function Conversion({ now: { convert }, history }: Props) {
  if (!convert) return null;
  return (
    <Panel title="Conversion" note={`version ${whole(convert.version)} of its parameters`}>
      <Chart
        label="Conversions and refusals a second, two minutes"
        lines={[
          { points: history.unconverted, tone: 'warn' },
          { points: history.converted, tone: 'up' },
        ]}
      />
      <Figures
        rows={[
          ['Done', whole(convert.done)],
          ['Refused', whole(convert.refused)],
          ['Done / s', short(history.converted.at(-1) ?? null)],
          ['Refused / s', short(history.unconverted.at(-1) ?? null)],
          ['Spread', ofMillion(convert.spread_ppm)],
          ['Fee', ofMillion(convert.fee_ppm)],
        ]}
      />
      <h3 className={css.part}>Given by the house today (UTC), of its cap</h3>
      <Limits
        name="Given today"
        rows={fullest(convert).map(({ asset, given, cap, used }) => ({
          name: asset,
          used: given === null ? null : used,
          words: `${exact(given)} of ${exact(cap)} ${asset}`,
        }))}
      />
    </Panel>
  );
}

/** The unit of amounts, when all desks have the same; else each desk says its own. */
function unitOf(desks: Desk[]): string | null {
  const units = new Set(desks.map(({ asset }) => asset));
  return units.size === 1 ? (desks[0]?.asset ?? null) : null;
}

export function SecondsOptions({ now: { seconds: desks } }: Props) {
  if (desks.length === 0) return null;
  const unit = unitOf(desks);
  const amounts = unit === null ? '' : `, ${unit}`;
  const heads = [
    'Desk',
    'Open',
    `Worst loss / cap${amounts}`,
    `Lost today / limit${amounts}`,
    'Won',
    'Lost',
    'Tied',
    'Void',
    'State',
  ];
  const open = desks.reduce((sum, { options }) => sum + options, 0);
  return (
    <Panel
      title="Seconds options"
      note={`${whole(open)} open; worst loss: of new options' minute; results: since the start`}
      wide
    >
      <Table name="Desks" heads={heads} brief="desks" high>
        {desks.map((desk) => {
          const [words, tone] = deskState(desk);
          return (
            <tr key={`${desk.symbol} ${desk.seconds}`}>
              <th scope="row">
                {desk.symbol} {desk.seconds} s{unit === null && <span className={css.dim}> {desk.asset}</span>}
              </th>
              <td>{whole(desk.options)}</td>
              <Used part={desk.worst_loss} limit={desk.minute_cap} />
              <Used part={desk.lost} limit={desk.day_cap} />
              <td>{whole(desk.won)}</td>
              <td>{whole(desk.lost_stakes)}</td>
              <td>{whole(desk.tied)}</td>
              <td>{whole(desk.void)}</td>
              <td data-tone={tone}>{words}</td>
            </tr>
          );
        })}
      </Table>
    </Panel>
  );
}

export function Coupons({ now: { coupons } }: Props) {
  if (!coupons) return null;
  return (
    <Panel title="Coupons" note={`${whole(coupons.running)} running`}>
      <Figures
        rows={[
          ['Issued', whole(coupons.issued)],
          ['Used', whole(coupons.used)],
          ['Taken back', whole(coupons.revoked)],
        ]}
      />
      {coupons.list.length > 0 && (
        <Table name="Campaigns" heads={['Campaign', 'Out', 'Locked']} low>
          {coupons.list.map((row) => (
            <tr key={row.campaign}>
              <th scope="row">
                {row.name}
                {!row.open && <span className={css.dim}> stopped</span>}
              </th>
              <td>
                {whole(row.out)} of {whole(row.coupons)}
              </td>
              <td>{`${exact(row.locked)} ${row.asset}`}</td>
            </tr>
          ))}
        </Table>
      )}
    </Panel>
  );
}

export function CopyTrading({ now: { copying } }: Props) {
  if (!copying) return null;
  return (
    <Panel title="Copy trading" note={`shares settled in ${countdown(copying.settles_s)}`}>
      <Figures
        rows={[
          ['Traders', whole(copying.traders)],
          ['Followers', whole(copying.followers)],
          ['Open copies', whole(copying.open)],
          ['Left to do', whole(copying.left), copying.left > 0 ? 'warn' : undefined],
          ['All opened', whole(copying.opened)],
          ['All skipped', whole(copying.skipped)],
        ]}
      />
      <ul className={css.chips}>
        {copying.shares?.length === 0 && <li>no share of a profit is due</li>}
        {copying.shares === null && <li>shares due: not known</li>}
        {copying.shares?.map(({ asset, due, withheld }) => (
          <li key={asset}>
            shares due <b>{`${exact(due)} ${asset}`}</b> withheld <b>{`${exact(withheld)} ${asset}`}</b>
          </li>
        ))}
        {copying.skips.map(({ reason, count }) => (
          <li key={reason}>
            skipped since the start: {reason.replaceAll('_', ' ')} <b>{whole(count)}</b>
          </li>
        ))}
      </ul>
      {copying.list.length > 0 && (
        <>
          <h3 className={css.part}>Traders; followers now, all else {seconds(copying.list_age_s)} ago</h3>
          <Table name="Traders" heads={['Account', 'Followers', 'Tickets', 'Opened', 'Skipped']} low>
            {copying.list.map((trader) => (
              <tr key={trader.account}>
                <th scope="row">{trader.account}</th>
                <td>{whole(trader.followers)}</td>
                <td className={css.dim}>{whole(trader.tickets)}</td>
                <td className={css.dim}>{whole(trader.opened)}</td>
                <td className={css.dim}>{whole(trader.skipped)}</td>
              </tr>
            ))}
          </Table>
        </>
      )}
    </Panel>
  );
}

/** Sessions are made for 400 days; the alert comes below 60. */
function sessionsTone({ sessions }: Venue): Tone {
  if (sessions === 0) return 'bad';
  return sessions < 60 ? 'warn' : undefined;
}

function stateTone({ state }: Stock, inSession: boolean): Tone {
  if (state === 'Trading') return 'good';
  if (state === 'Halt') return 'bad';
  return inSession ? 'warn' : undefined;
}

function StockRow({ stock, inSession }: { stock: Stock; inSession: boolean }) {
  const { symbol, venue, state, age_s, stale_s, action, under_way, holders } = stock;
  const isOld = age_s === null || age_s > stale_s;
  return (
    <tr data-dim={!inSession}>
      <th scope="row">{symbol}</th>
      <td>{venue ?? '–'}</td>
      <td data-tone={stateTone(stock, inSession)}>{state}</td>
      <td data-tone={inSession && isOld ? 'bad' : undefined}>{seconds(age_s)}</td>
      <td data-tone={under_way ? 'warn' : undefined}>
        {action === null ? '–' : `${action}, ${under_way ? 'under way' : 'done'}`}
      </td>
      <td>{whole(holders)}</td>
    </tr>
  );
}

/** A node that says nothing for so long has gone. */
const SILENT_S = 120;

function chainState({ halted, trouble, node_age_s }: Chain): { text: string; tone: Tone } {
  if (halted !== null) return { text: `halted: ${halted}`, tone: 'bad' };
  if (trouble !== null) return { text: trouble, tone: 'warn' };
  if (node_age_s === null || node_age_s > SILENT_S) return { text: 'its node is silent', tone: 'bad' };
  return { text: 'read', tone: 'good' };
}

/** Whoever waits longer than this is noticed. */
const LONG_S = 3_600;

function WithdrawalCells({ of }: { of: ChainWithdrawals | null }) {
  if (!of) return <td colSpan={3}>none</td>;
  const { open, waiting, paying, oldest_s, paid, trouble } = of;
  const state = trouble ?? (open ? 'taken' : 'closed');
  return (
    <>
      <td data-tone={trouble !== null ? 'bad' : undefined}>{state}</td>
      <td data-tone={oldest_s !== null && oldest_s > LONG_S ? 'warn' : undefined}>
        {`${whole(waiting)} for people, ${whole(paying)} to pay`}
        {oldest_s !== null && `, since ${seconds(oldest_s)}`}
      </td>
      <td>{whole(paid)}</td>
    </>
  );
}

export function Chains({ now }: Props) {
  if (!now.chains) return null;
  return (
    <Panel title="Chains" note="deposits, paid: since the start" wide>
      <Table
        name="Chains"
        heads={['Chain', 'State', 'Read to', 'Node at', 'Addresses', 'Held', 'Deposits', 'Withdrawals', 'Open', 'Paid']}
      >
        {now.chains.map((chain) => {
          const state = chainState(chain);
          return (
            <tr key={chain.name}>
              <th scope="row">{chain.name}</th>
              <td data-tone={state.tone}>{state.text}</td>
              <td>{chain.height === null ? '–' : whole(chain.height)}</td>
              <td>{chain.node_height === null ? '–' : whole(chain.node_height)}</td>
              <td>{whole(chain.addresses)}</td>
              <td>{chain.held.map(({ asset, amount }) => `${amount ?? '–'} ${asset}`).join(', ')}</td>
              <td>{whole(chain.deposits)}</td>
              <WithdrawalCells of={chain.withdrawals} />
            </tr>
          );
        })}
      </Table>
    </Panel>
  );
}

export function Stocks({ now }: Props) {
  if (!now.stocks) return null;
  const { venues, markets } = now.stocks;
  const rest = resting(now);
  const underWay = markets.filter(({ under_way }) => under_way).length;
  return (
    <Panel
      title="Stocks"
      note={
        <span data-tone={underWay > 0 ? 'warn' : undefined}>
          corporate actions under way: {whole(underWay)}; holders: since the start
        </span>
      }
      wide
    >
      <Table name="Venues" heads={['Venue', 'Phase', 'Ends in, h:min:s', 'Sessions to come']} brief="venues">
        {venues.map((venue) => (
          <tr key={venue.name}>
            <th scope="row">
              {venue.name} <span className={css.dim}>{venue.zone}</span>
            </th>
            <td data-tone={venue.phase === 'open' ? 'good' : undefined}>{venue.phase}</td>
            <td>{countdown(venue.until_s)}</td>
            <td data-tone={sessionsTone(venue)}>{whole(venue.sessions)}</td>
          </tr>
        ))}
      </Table>
      <Table
        name="Stocks"
        heads={['Stock', 'Venue', 'State', 'Index age', 'Corporate action', 'Holders done']}
        brief="stocks"
        high
      >
        {markets.map((stock) => (
          <StockRow key={stock.symbol} stock={stock} inSession={!rest.has(stock.symbol)} />
        ))}
      </Table>
    </Panel>
  );
}

/** Traders whom others follow: who applied, who was approved, and how they fare. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import css from './admin.module.css';
import { get, useSession } from './api';
import { useAddress, walk } from './desk';
import { age, sum, time } from './format';
import { Order } from './Order';
import { Badge, DetailHead, Empty, Facts, Head, Part, RowButton, Table, Trouble, Waiting } from './Parts';
import type { Traders as Told, Trader, TraderApplication } from './types';

const EVERY_MS = 5_000;
/** Applications that the server tells at once. */
const MOST = 100;

const money = ({ asset }: Trader, amount: string) => `${sum(amount, 2)} ${asset ?? ''}`.trim();

export function Traders() {
  const { of, set } = useAddress();
  const id = of('id');
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['traders'],
    queryFn: () => get<Told>('traders'),
    refetchInterval: EVERY_MS,
    placeholderData: keepPreviousData,
  });
  const open = (account: string) => set('id', account);
  const application = data?.waiting.find(({ account }) => String(account) === id);
  const trader = data?.traders.find(({ account }) => String(account) === id);
  return (
    <>
      <Head
        title="Traders"
        note={
          data &&
          `${data.waiting.length === 0 ? 'Nobody waits' : `${data.waiting.length}${data.waiting.length < MOST ? '' : ' or more'} waiting`}; ${data.traders.length} approved`
        }
      />
      {error && <Trouble error={error} again={() => void refetch()} />}
      {data && !data.is_on && <p data-tone="warn">Copy trading is off: [copy] is not in the settings.</p>}
      <div className={css.split} data-open={application !== undefined || trader !== undefined}>
        <div className={css.card}>
          {isPending && !error && <Waiting />}
          {data && <Applications told={data} chosen={id} open={open} />}
          {data && data.traders.length > 0 && <Approved rows={data.traders} chosen={id} open={open} />}
        </div>
        {data && (application || trader) && (
          <Detail
            key={id}
            account={Number(id)}
            application={application}
            trader={trader}
            told={data}
            close={() => set('id', '')}
            done={() => void refetch()}
          />
        )}
      </div>
    </>
  );
}

interface ListProps {
  chosen: string;
  open: (account: string) => void;
}

function Applications({ told, chosen, open }: ListProps & { told: Told }) {
  const step = walk(
    told.waiting.map(({ account }) => String(account)),
    chosen,
    open,
  );
  if (told.waiting.length === 0)
    return <Empty title="Nobody waits">Users who apply to be followed appear here, the oldest first.</Empty>;
  return (
    <Table name="Applications" heads={[['Account'], ['Waits', 'right'], ['What they say']]}>
      {told.waiting.map((row) => {
        const id = String(row.account);
        return (
          <tr key={id} data-chosen={id === chosen} onClick={() => open(id)} onKeyDown={step}>
            <td>
              <RowButton id={id} isChosen={id === chosen} label={`Application of ${id}`}>
                <b>{row.account}</b>
              </RowButton>
            </td>
            <td className={css.right}>{age(told.now_ms - row.applied_ms)}</td>
            <td className={css.wrap}>{row.intro}</td>
          </tr>
        );
      })}
    </Table>
  );
}

function Approved({ rows, chosen, open }: ListProps & { rows: Trader[] }) {
  const step = walk(
    rows.map(({ account }) => String(account)),
    chosen,
    open,
  );
  return (
    <Table
      name="Approved traders"
      heads={[
        ['Trader'],
        ['Followers', 'right'],
        ['Closed', 'right'],
        ['Won', 'right'],
        ['Profit', 'right'],
        ['Deepest drawdown', 'right'],
        ['Open', 'right'],
        ['Copies', 'right'],
        ['Skipped', 'right'],
      ]}
    >
      {rows.map((row) => {
        const id = String(row.account);
        return (
          <tr key={id} data-chosen={id === chosen} onClick={() => open(id)} onKeyDown={step}>
            <td>
              <RowButton id={id} isChosen={id === chosen} label={`Trader ${id}`}>
                <b>{row.account}</b>
              </RowButton>
            </td>
            <td className={css.right}>{row.followers}</td>
            <td className={css.right}>{row.closed}</td>
            <td className={css.right}>{row.won}</td>
            <td className={css.right}>{money(row, row.profit)}</td>
            <td className={css.right}>{money(row, row.drawdown)}</td>
            <td className={css.right}>{row.open_tickets}</td>
            <td className={css.right}>{row.copies}</td>
            <td className={css.right}>{row.skips}</td>
          </tr>
        );
      })}
    </Table>
  );
}

interface DetailProps {
  account: number;
  application: TraderApplication | undefined;
  trader: Trader | undefined;
  told: Told;
  close: () => void;
  done: () => void;
}

function Detail({ account, application, trader, told, close, done }: DetailProps) {
  const { may } = useSession();
  const mayDecide = may('DecideTraders') && told.own !== account;
  return (
    <aside className={css.detail} aria-label={`Account ${account}`}>
      <DetailHead title={`Account ${account}`} close={close}>
        {trader && <Badge tone="good">trader</Badge>}
        {application && <Badge tone="warn">applied</Badge>}
      </DetailHead>
      <p>
        <a href={`#/users?id=${account}`}>Look at the user</a>
      </p>
      {told.own === account && <p>This is your own account: somebody else decides.</p>}
      {application && (
        <>
          <Part title="What they say">
            <q>{application.intro}</q>
            <p className={css.dim}>{time(application.applied_ms)}</p>
          </Part>
          {mayDecide && (
            <>
              {told.is_on && (
                <Order
                  name="Approve"
                  note="Others may follow them from now on, by the terms that the settings have now."
                  path={`traders/${account}/approve`}
                  kind="yes"
                  done={done}
                />
              )}
              <Order
                name="Refuse"
                note="The user reads the reason, and may apply again."
                path={`traders/${account}/refuse`}
                kind="no"
                done={done}
              />
            </>
          )}
        </>
      )}
      {trader && (
        <>
          <Facts
            rows={[
              ['Followers', trader.followers],
              ['Share of followers’ profits', trader.share_ppm === null ? '–' : `${trader.share_ppm / 10_000} %`],
              ['Closed tickets', trader.closed],
              ['Of them won', trader.won],
              ['Profit', money(trader, trader.profit)],
              ['Deepest drawdown', money(trader, trader.drawdown)],
              ['Open tickets', trader.open_tickets],
              ['Worth when opened', money(trader, trader.value)],
              ['Copies', trader.copies],
              ['Copies that were skipped', trader.skips],
              ['As of', time(told.as_of_ms)],
            ]}
          />
          {mayDecide && (
            <Order
              name="End"
              note="Nobody follows them any more; copies that are open become their owners’ own tickets."
              path={`traders/${account}/end`}
              kind="no"
              done={done}
            />
          )}
        </>
      )}
    </aside>
  );
}

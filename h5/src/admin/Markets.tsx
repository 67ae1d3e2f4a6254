/** Markets and contracts: whether they are open, what the house holds in them, halts, and what two people decide. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import css from './admin.module.css';
import { get, useSession } from './api';
import { CaseParts, Past } from './CaseParts';
import { useAddress, walk } from './desk';
import { age, percent, sum } from './format';
import { MarketState, STATES } from './MarketState';
import { Order } from './Order';
import { DetailHead, Empty, Facts, Head, RowButton, Search, Table, Trouble, Waiting } from './Parts';
import type { Case, Contract, Market, Markets as Told } from './types';

const EVERY_MS = 2_000;

type Either = Market | Contract;

const isContract = (one: Either): one is Contract => 'mark' in one;

const kindOf = (one: Either) => (isContract(one) ? 'contract' : one.is_stock ? 'stock' : 'spot');

const since = (seconds: number | null) => (seconds === null ? 'never' : `${age(seconds * 1_000)} ago`);

export function Markets() {
  const { of, set } = useAddress();
  const [id, text, state] = [of('id'), of('q'), of('state')];
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['markets'],
    queryFn: () => get<Told>('markets'),
    refetchInterval: EVERY_MS,
    placeholderData: keepPreviousData,
  });
  const again = () => void refetch();
  const all: Either[] = data ? [...data.markets, ...data.contracts] : [];
  const fits = (one: Either) => one.symbol.includes(text.trim().toUpperCase()) && (state === '' || one.state === state);
  const [markets, contracts] = [data?.markets.filter(fits) ?? [], data?.contracts.filter(fits) ?? []];
  const chosen = all.find((one) => String(one.id) === id);
  const halted = all.filter((one) => one.state === 'Halt').length;
  const step = walk(
    [...markets, ...contracts].map((one) => String(one.id)),
    id,
    (next) => set('id', next),
  );
  const list = { chosen: id, open: (next: string) => set('id', next), step };
  return (
    <>
      <Head title="Markets" note={data && `${all.length} listed, ${halted === 0 ? 'none' : halted} halted`}>
        <select aria-label="State" value={state} onChange={({ target }) => set('state', target.value)}>
          <option value="">All states</option>
          {Object.entries(STATES).map(([value, [name]]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
        <Search name="markets" by="Symbol" text={text} change={(next) => set('q', next)} />
      </Head>
      {error && <Trouble error={error} again={again} />}
      <div className={css.split} data-open={chosen !== undefined}>
        <div className={css.card}>
          {isPending && !error && <Waiting />}
          {data && markets.length + contracts.length === 0 && <Empty title="None fits these filters" />}
          <div className={css.scroll}>
            {markets.length > 0 && <Spot rows={markets} {...list} />}
            {contracts.length > 0 && <Contracts rows={contracts} {...list} />}
            {data && <Funds rows={data.funds} />}
          </div>
        </div>
        {chosen && data && <Detail key={id} one={chosen} told={data} close={() => set('id', '')} done={again} />}
      </div>
      {data && <Past cases={data.cases.filter((one) => one.state !== 'proposed')} />}
    </>
  );
}

interface Choice {
  chosen: string;
  open: (id: string) => void;
  step: ReturnType<typeof walk>;
}

interface ListProps<One> extends Choice {
  rows: One[];
}

/** A row that begins with the market's name and state. */
function Row({ one, chosen, open, step, children }: Choice & { one: Either; children: ReactNode }) {
  const id = String(one.id);
  return (
    <tr data-chosen={id === chosen} onClick={() => open(id)} onKeyDown={step}>
      <td>
        <RowButton id={id} isChosen={id === chosen} label={`${one.symbol}: ${kindOf(one)}`}>
          <b>{one.symbol}</b>
        </RowButton>
      </td>
      <td>
        <MarketState state={one.state} byOperator={one.by_operator} />
      </td>
      {children}
    </tr>
  );
}

function Spot({ rows, ...list }: ListProps<Market>) {
  return (
    <Table
      name="Spot and stocks"
      heads={[
        ['Market'],
        ['State'],
        ['Kind'],
        ['Price', 'right'],
        ['Spread', 'right'],
        ['Price came', 'right'],
        ['The house has', 'right'],
        ['Worth', 'right'],
        ['Levels quoted', 'right'],
      ]}
    >
      {rows.map((one) => (
        <Row key={one.id} one={one} {...list}>
          <td>{kindOf(one)}</td>
          <td className={css.right}>{one.price === null ? '–' : sum(one.price, 8)}</td>
          <td className={css.right}>{one.spread === null ? '–' : sum(one.spread, 8)}</td>
          <td className={css.right}>{since(one.age_s)}</td>
          <td className={css.right}>{one.house_has === null ? '–' : sum(one.house_has, 4)}</td>
          <td className={css.right}>{one.worth === null ? '–' : `${sum(one.worth, 0)} ${one.quote}`}</td>
          <td className={css.right}>{one.house.levels}</td>
        </Row>
      ))}
    </Table>
  );
}

function Contracts({ rows, ...list }: ListProps<Contract>) {
  return (
    <Table
      name="Contracts"
      heads={[
        ['Contract'],
        ['State'],
        ['Mark', 'right'],
        ['Price came', 'right'],
        ['Long tickets', 'right'],
        ['Short tickets', 'right'],
        ['Cap used', 'right'],
        ['Open interest', 'right'],
        ['House', 'right'],
      ]}
    >
      {rows.map((one) => (
        <Row key={one.id} one={one} {...list}>
          <td className={css.right}>{one.mark === null ? '–' : sum(one.mark, 8)}</td>
          <td className={css.right}>{since(one.age_s)}</td>
          <td className={css.right}>{`${sum(one.long.notional, 0)} ${one.settle}`}</td>
          <td className={css.right}>{`${sum(one.short.notional, 0)} ${one.settle}`}</td>
          <td className={css.right}>{percent(one.cap_used, 1)}</td>
          <td className={css.right}>{one.book ? sum(one.book.open, 4) : '–'}</td>
          <td className={css.right}>{one.house ? sum(one.house.position, 4) : '–'}</td>
        </Row>
      ))}
    </Table>
  );
}

const FUNDS = { insurance: 'Insurance', house: 'The house' };

/** The money behind contracts. */
function Funds({ rows }: { rows: Told['funds'] }) {
  if (!rows || rows.length === 0) return null;
  return (
    <Table name="Money behind contracts" heads={[['Money behind contracts'], ['Amount', 'right']]}>
      {rows.map(({ account, asset, amount }) => (
        <tr key={`${account} ${asset}`}>
          <td>{FUNDS[account]}</td>
          <td className={css.right}>{`${sum(amount, 2)} ${asset}`}</td>
        </tr>
      ))}
    </Table>
  );
}

interface DetailProps {
  one: Either;
  told: Told;
  close: () => void;
  done: () => void;
}

function Detail({ one, told, close, done }: DetailProps) {
  const { may } = useSession();
  const open = told.cases.find(({ subject, state }) => subject === one.subject && state === 'proposed');
  const isByUs = one.state === 'CancelOnly' && one.by_operator;
  const isBySystem = one.state === 'CancelOnly' && !one.by_operator;
  const title = `${one.symbol}, ${kindOf(one)}`;
  return (
    <aside className={css.detail} aria-label={title}>
      <DetailHead title={title} close={close}>
        <MarketState state={one.state} byOperator={one.by_operator} />
      </DetailHead>
      <Facts rows={isContract(one) ? contractFacts(one) : marketFacts(one)} />
      {one.state !== 'Halt' && may('HaltMarkets') && (
        <Order
          name={`Halt ${one.symbol}`}
          note={
            isContract(one)
              ? 'From this moment on nothing is opened, closed or liquidated here, and the mark stands still. Orders can be cancelled. Users with a cross position here take no money out meanwhile.'
              : 'No order is taken any more, from this moment on; cancels are. Quotes of the house leave the book.'
          }
          path={`markets/${one.id}/halt`}
          kind="no"
          done={done}
        />
      )}
      {(one.state === 'Trading' || isBySystem) && may('HaltMarkets') && (
        <Order
          name={`Set ${one.symbol} to cancel-only`}
          note={
            isContract(one)
              ? 'From this moment on nothing is opened, closed or liquidated here; the contract goes on being marked. Orders can be cancelled.'
              : 'No order is taken any more, from this moment on. Orders can be cancelled.'
          }
          path={`markets/${one.id}/cancel-only`}
          kind="no"
          done={done}
        />
      )}
      {(one.state === 'Halt' || isByUs) && !open && may('ResumeMarkets') && (
        <Order
          name={`Propose to resume ${one.symbol}`}
          note="Another person has to agree, within 72 hours. It opens with the next price."
          path={`markets/${one.id}/propose-resume`}
          kind="yes"
          done={done}
        />
      )}
      {open && <Proposal row={open} me={told.me} done={done} />}
    </aside>
  );
}

function Proposal({ row, me, done }: { row: Case; me: string; done: () => void }) {
  return (
    <CaseParts
      row={row}
      me={me}
      needs="ResumeMarkets"
      path={`market-cases/${row.case}/decide`}
      yes="Agree and resume"
      onlySees="Your role sees halts and does not decide about them."
      done={done}
    />
  );
}

function marketFacts(one: Market): [string, string | number][] {
  const { house } = one;
  return [
    ['Prices are', one.source],
    ['Price', one.price === null ? '–' : sum(one.price, 8)],
    ['Spread', one.spread === null ? '–' : sum(one.spread, 8)],
    ['Price came', since(one.age_s)],
    ['The house has in its spot wallet', one.house_has === null ? '–' : sum(one.house_has, 8)],
    ['Worth', one.worth === null ? '–' : `${sum(one.worth, 2)} ${one.quote}`],
    ['Levels quoted', house.levels],
    ['It quoted', since(house.age_s)],
  ];
}

function contractFacts(one: Contract): [string, string | number][] {
  const { book, house, settle } = one;
  const side = ({ notional }: Contract['long']) => `${sum(notional, 2)} ${settle}`;
  return [
    ['Mark', one.mark === null ? '–' : sum(one.mark, 8)],
    ['Price came', since(one.age_s)],
    ['Prices can be relied on', one.live ? 'yes' : 'no'],
    ['Open tickets', one.open],
    ['Waiting tickets', one.waiting],
    ['Liquidated tickets', one.liquidated],
    ['Long tickets', side(one.long)],
    ['Short tickets', side(one.short)],
    ['Cap used', percent(one.cap_used, 2)],
    ['Positions in the book', book?.legs ?? '–'],
    ['Orders in the book', book ? `${book.orders}, and ${book.waiting} that wait` : '–'],
    ['Open interest of the book', book ? sum(book.open, 8) : '–'],
    ['Insurance quota', book ? `${sum(book.quota, 2)} ${settle}` : '–'],
    ['Liquidation steps', book?.steps ?? '–'],
    ['Deleveraged', book?.deleveraged ?? '–'],
    ['House position', house ? sum(house.position, 8) : '–'],
  ];
}

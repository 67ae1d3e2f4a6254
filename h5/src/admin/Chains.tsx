/** Deposits and chains: how far each is read, halts, and what two people decide. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Fragment, useState } from 'react';
import css from './admin.module.css';
import { get, post, useSession } from './api';
import { Past } from './CaseParts';
import { age, coins, time } from './format';
import { Order } from './Order';
import { Badge, Copyable, Empty, Facts, Head, Part, ReserveState, Table, type Tone, Trouble, Waiting } from './Parts';
import { why } from './passkeys';
import { Decision } from './Sign';
import type { Case, Chain, Deposit, Reserve } from './types';

const EVERY_MS = 2_000;

interface Told {
  chains: Chain[];
  deposits: Deposit[];
  cases: Case[];
  now_ms: number;
  me: string;
}

export function Chains() {
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['chains'],
    queryFn: () => get<Told>('chains'),
    refetchInterval: EVERY_MS,
    placeholderData: keepPreviousData,
  });
  const again = () => void refetch();
  return (
    <>
      <Head title="Deposits and chains" note="One person halts at once; it takes two to let a chain go on." />
      {error && <Trouble error={error} again={again} />}
      {isPending && !error && <Waiting />}
      {data?.chains.length === 0 && (
        <Empty title="No chain is set up">Chains are in the exchange's settings; without one no coins come in.</Empty>
      )}
      <div className={css.cards}>
        {data?.chains.map((chain) => (
          <OneChain key={chain.chain} chain={chain} told={data} again={again} />
        ))}
      </div>
      {data && data.chains.length > 0 && <Deposits rows={data.deposits} />}
      {data && <Past cases={data.cases.filter(({ state }) => state !== 'proposed')} />}
    </>
  );
}

function OneChain({ chain, told, again }: { chain: Chain; told: Told; again: () => void }) {
  const { may } = useSession();
  const open = told.cases.find(({ subject, state }) => subject === `chain:${chain.chain}` && state === 'proposed');
  const behind = chain.node_height !== null && chain.height !== null ? chain.node_height - chain.height : null;
  return (
    <section className={css.card} aria-label={chain.name}>
      <header className={css.detailHead}>
        <h2>{chain.name}</h2>
        {chain.halted !== null ? (
          <Badge tone="bad">halted</Badge>
        ) : chain.is_read ? (
          <Badge tone="good">read</Badge>
        ) : (
          <Badge tone="warn">not read</Badge>
        )}
      </header>
      <Facts
        rows={[
          ['Read up to', chain.height ?? '–'],
          ['Node at', chain.node_height ?? '–'],
          ['Blocks that are not final', behind === null ? '–' : behind],
          ['Confirmations', chain.confirmations],
          ['Node answered', chain.seen_ms === null ? 'never' : `${age(told.now_ms - chain.seen_ms)} ago`],
          ['Addresses', chain.addresses],
          ...chain.assets.map(({ asset_name, held_units, decimals }): [string, string] => [
            `Held, ${asset_name}`,
            coins(held_units, decimals),
          ]),
          ...(chain.paying?.holds ?? []).map(({ asset_name, units, decimals }): [string, string] => [
            `Ready to be paid, ${asset_name}`,
            coins(units, decimals),
          ]),
          ['Deposits since the start', chain.credited],
          ['Withdrawals that wait', `${chain.pending} for people, ${chain.approved} to be paid`],
          ['Paid since the start', chain.paid],
        ]}
      />
      {chain.paying && (
        <Part title="Pays from">
          <Copyable text={chain.paying.address} name="the address" />
        </Part>
      )}
      <Reserves chain={chain} done={again} />
      {chain.trouble !== null && <p data-tone="warn">Reading: {chain.trouble}</p>}
      {chain.withdrawals_trouble !== null && <p data-tone="warn">Paying: {chain.withdrawals_trouble}</p>}
      {chain.halted !== null && (
        <p className={css.halted} data-tone="bad">
          Why it is halted: {HALTS[chain.halted] ?? chain.halted}
        </p>
      )}
      {chain.halted === null && may('HaltChains') && (
        <Order
          name={`Halt ${chain.name}`}
          note="Nothing is credited or paid any more, from this moment on."
          path={`chains/${chain.chain}/halt`}
          kind="no"
          done={again}
        />
      )}
      {chain.halted !== null && !open && may('ResumeChains') && (
        <Order
          name={`Propose to resume ${chain.name}`}
          note="Another person has to agree, within 72 hours."
          path={`chains/${chain.chain}/propose-resume`}
          kind="yes"
          done={again}
        />
      )}
      {open && (
        <Part title="Proposed">
          <p>
            <strong>{open.proposed_by}</strong> proposes that it goes on.{' '}
            <span className={css.dim}>{time(open.proposed_ms)}</span>
          </p>
          <q>{open.proposed_reason}</q>
          {open.proposed_by === told.me && <p>You proposed it: another person has to agree. You can take it back.</p>}
          {may('ResumeChains') && (
            <Decision
              path={`cases/${open.case}/decide`}
              field="approves"
              yes="Approve and resume"
              no={open.proposed_by === told.me ? 'Take it back' : 'Refuse'}
              mayAgree={open.proposed_by !== told.me}
              done={again}
            />
          )}
        </Part>
      )}
    </section>
  );
}

/** Why a chain is halted. */
const HALTS: Record<string, string> = {
  Operator: 'a person halted it',
  Reorganised: 'a final block is not on the chain any more',
  Spent: 'coins of ours were spent, and not by us',
  Missing: 'the node does not show all coins that are ours',
};

/** Whether the node shows the coins that are ours. */
function Reserves({ chain, done }: { chain: Chain; done: () => void }) {
  const { me, may } = useSession();
  const [trouble, setTrouble] = useState('');
  const { assets, check_wanted: waits } = chain;
  const looked = assets.filter(({ reserve }) => reserve !== null);
  const check = async () => {
    setTrouble('');
    try {
      await post(`chains/${chain.chain}/check`, {}, me.word);
      done();
    } catch (error) {
      setTrouble(why(error));
    }
  };
  return (
    <Part title="Coins at the node">
      {looked.length === 0 && (
        <p className={css.dim}>Not looked up since the start. That is done once a day, and when somebody asks.</p>
      )}
      {looked.map(({ asset_name, reserve, decimals }) => (
        <Fragment key={asset_name}>
          {assets.length > 1 && <h4>{asset_name}</h4>}
          {reserve && <Looked reserve={reserve} decimals={decimals} />}
        </Fragment>
      ))}
      {chain.check_trouble !== null && <p data-tone="warn">Not looked up: {chain.check_trouble}</p>}
      {may('CheckReserves') && chain.halted === null && (
        <div className={css.order}>
          <button type="button" disabled={waits} onClick={() => void check()}>
            {waits ? 'Looking…' : 'Look now'}
          </button>
        </div>
      )}
      <p role="alert" data-tone="bad">
        {trouble}
      </p>
    </Part>
  );
}

function Looked({ reserve, decimals }: { reserve: Reserve; decimals: number }) {
  return (
    <Facts
      rows={[
        ['After block', reserve.height],
        ['Ledger', coins(reserve.held_units, decimals)],
        ['Node', coins(reserve.found_units, decimals)],
        ['State', <ReserveState key="state" reserve={reserve} />],
        ['Besides, nobody’s', coins(reserve.besides_units, decimals)],
        ['When', time(reserve.at_ms)],
      ]}
    />
  );
}

/** Names of what became of a deposit. */
const KINDS: Record<string, [name: string, tone: Tone]> = {
  credited: ['credited', 'good'],
  collected: ['small ones, credited together', 'good'],
  small: ['too small, kept', 'warn'],
  coinbase: ["a block's reward, kept", 'warn'],
};

function Deposits({ rows }: { rows: Deposit[] }) {
  return (
    <section className={css.card} aria-label="Deposits">
      <h2>Deposits</h2>
      {rows.length === 0 ? (
        <Empty title="None came yet">Final deposits appear here by themselves, the newest first.</Empty>
      ) : (
        <Table
          name="Deposits"
          heads={[
            ['When'],
            ['Chain'],
            ['Amount', 'right'],
            ['Account', 'right'],
            ['What became of it'],
            ['Block', 'right'],
            ['Confirmations', 'right'],
            ['Transaction'],
          ]}
        >
          {rows.map((row) => {
            const [name, tone] = KINDS[row.kind] ?? [row.kind, 'plain'];
            return (
              <tr key={row.id}>
                <td>{time(row.at_ms)}</td>
                <td>{row.chain}</td>
                <td className={css.right}>
                  <b>{row.amount}</b> {row.asset_name}
                </td>
                <td className={css.right}>
                  <a href={`#/users?id=${row.account}`}>{row.account}</a>
                </td>
                <td>
                  <Badge tone={tone}>{name}</Badge>
                </td>
                <td className={css.right}>{row.height === 0 ? '–' : row.height}</td>
                <td className={css.right}>{row.confirmations ?? '–'}</td>
                <td>
                  <span className={css.address} title={row.txid ?? undefined}>
                    {row.txid ?? '–'}
                  </span>
                </td>
              </tr>
            );
          })}
        </Table>
      )}
    </section>
  );
}

/** Users: found by what they name, with what they have and what locks it. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useSearchParams } from 'react-router';
import css from './admin.module.css';
import { get, post, useSession } from './api';
import { time } from './format';
import { LockPart, Unlocks } from './Locks';
import { Badge, DetailHead, Empty, Facts, Head, Part, Table, Trouble, Waiting } from './Parts';
import { why } from './passkeys';
import { countryText, productsText } from './regionTexts';
import type { User, UserDetail } from './types';

export function Users() {
  const [params, setParams] = useSearchParams();
  const [asked, id] = [params.get('q') ?? '', params.get('id') ?? ''];
  const [text, setText] = useState(asked);
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['users', asked],
    queryFn: () => get<{ rows: User[] }>(`users?q=${encodeURIComponent(asked)}`),
    enabled: asked !== '',
    placeholderData: keepPreviousData,
  });
  const choose = (account: string) => setParams({ ...(asked === '' ? {} : { q: asked }), id: account });
  const search = (event: FormEvent) => {
    event.preventDefault();
    setParams(text.trim() === '' ? {} : { q: text.trim() });
  };
  const rows = asked === '' ? [] : (data?.rows ?? []);
  return (
    <>
      <Head title="Users">
        <form onSubmit={search} className={css.filters}>
          <input
            type="search"
            aria-label="Number, mail, phone, address or transaction"
            placeholder="Number, mail, +area phone, address, transaction"
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
          <button type="submit">Search</button>
        </form>
      </Head>
      {error && <Trouble error={error} again={() => void refetch()} />}
      <div className={css.split} data-open={id !== ''}>
        <div className={css.card}>
          {asked === '' && (
            <Empty title="Whom do you look for?">
              By number, mail, phone (as +86 13800138000), an address of ours or of a withdrawal, or a transaction.
              Mails and phones are masked.
            </Empty>
          )}
          {asked === '' && <Unlocks open={choose} />}
          {asked !== '' && isFetching && !data && <Waiting />}
          {asked !== '' && data && rows.length === 0 && (
            <Empty title="Nobody has this">Only whole mails, phones, addresses and transactions are found.</Empty>
          )}
          {rows.length > 0 && (
            <Table name="Users" heads={[['Account'], ['Mail'], ['Phone'], ['Since', 'right']]}>
              {rows.map((row) => (
                <tr
                  key={row.account}
                  data-chosen={String(row.account) === id}
                  onClick={() => choose(String(row.account))}
                >
                  <td>
                    <button type="button" className={css.row} aria-label={`Account ${row.account}`}>
                      <b>{row.account}</b>
                    </button>
                  </td>
                  <td>{row.email ?? '–'}</td>
                  <td>{row.phone ?? '–'}</td>
                  <td className={css.right}>{time(row.created_ms)}</td>
                </tr>
              ))}
            </Table>
          )}
        </div>
        {id !== '' && <Detail key={id} id={id} close={() => setParams(asked === '' ? {} : { q: asked })} />}
      </div>
    </>
  );
}

function Detail({ id, close }: { id: string; close: () => void }) {
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['user', id],
    queryFn: () => get<UserDetail>(`users/${encodeURIComponent(id)}`),
  });
  const paused = data && data.paused_until_ms > Date.now();
  return (
    <aside className={css.detail} aria-label={`Account ${id}`}>
      <DetailHead title={`Account ${id}`} close={close}>
        {data && <Badge tone={data.status === 'active' ? 'good' : 'bad'}>{data.status}</Badge>}
      </DetailHead>
      {error && <Trouble error={error} again={() => void refetch()} />}
      {isPending && !error && <Waiting />}
      {data && (
        <>
          <Contacts data={data} />
          <LockPart account={data.account} isLocked={data.status === 'locked'} done={() => void refetch()} />
          <Part title="Balances">
            {data.balances.length === 0 ? (
              <p className={css.dim}>This account never had anything.</p>
            ) : (
              <Table name="Balances" heads={[['Wallet'], ['Asset'], ['Available', 'right'], ['Locked', 'right']]}>
                {data.balances.map((row) => (
                  <tr key={`${row.wallet} ${row.asset}`}>
                    <td>{row.wallet}</td>
                    <td>{row.asset}</td>
                    <td className={css.right}>{row.available}</td>
                    <td className={css.right}>{row.locked}</td>
                  </tr>
                ))}
              </Table>
            )}
          </Part>
          <Part title="What locks its money">
            {data.locks.length === 0 ? (
              <p className={css.dim}>Nothing.</p>
            ) : (
              <ul className={css.whys}>
                {data.locks.map((lock) => (
                  <li key={`${lock.what} ${lock.withdrawal ?? ''}`}>
                    {lock.withdrawal === undefined ? (
                      `${lock.count} ${lock.what}`
                    ) : (
                      <a href={`#/withdrawals?id=${lock.withdrawal}`}>
                        Withdrawal {lock.withdrawal}: {lock.amount} {lock.asset}
                      </a>
                    )}
                  </li>
                ))}
              </ul>
            )}
          </Part>
          <Part title="Sessions">
            {data.sessions.length === 0 && <p className={css.dim}>Not logged in.</p>}
            <ul className={css.whys}>
              {data.sessions.map((one) => (
                <li key={`${one.ip} ${one.last_seen_ms}`}>
                  {one.ip} <span className={css.dim}>seen {time(one.last_seen_ms)}</span>
                </li>
              ))}
            </ul>
            {paused && <p data-tone="warn">Withdrawals are paused until {time(data.paused_until_ms)}.</p>}
          </Part>
        </>
      )}
    </aside>
  );
}

/** Masked, until somebody says why they look. */
function Contacts({ data }: { data: UserDetail }) {
  const { me, may } = useSession();
  const [reason, setReason] = useState('');
  const [shown, setShown] = useState<{ email: string | null; phone: string | null } | null>(null);
  const [trouble, setTrouble] = useState('');
  const show = async (event: FormEvent) => {
    event.preventDefault();
    setTrouble('');
    try {
      setShown(await post(`users/${data.account}/contacts`, { reason }, me.word));
    } catch (error) {
      setTrouble(why(error));
    }
  };
  const { email, phone } = shown ?? data;
  return (
    <>
      <Facts
        rows={[
          ['Mail', email ?? '–'],
          ['Phone', phone ?? '–'],
          ['Name', data.nickname === '' ? '–' : data.nickname],
          ['Since', time(data.created_ms)],
          ['Country', data.country === '' ? 'unknown' : countryText(data.country)],
          ['Barred there', data.barred.length === 0 ? 'nothing' : productsText(data.barred)],
        ]}
      />
      {may('ShowContacts') && !shown && (
        <form className={css.order} onSubmit={show}>
          <input
            aria-label="Why you look at mail and phone"
            placeholder="Why you look at mail and phone; the audit keeps it"
            maxLength={200}
            value={reason}
            onChange={({ target }) => setReason(target.value)}
          />
          <button type="submit" className={css.quiet} disabled={reason.trim() === ''}>
            Show
          </button>
        </form>
      )}
      <p role="alert" data-tone="bad">
        {trouble}
      </p>
    </>
  );
}

/** Live service: who waits, the longest first, and beside it the conversation that is looked at. Asks again for what is new. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import css from './admin.module.css';
import { get } from './api';
import { ChatDetail } from './ChatDetail';
import { languageName } from './contentTexts';
import { useAddress, walk } from './desk';
import { age, time } from './format';
import { Badge, Empty, Head, RowButton, Search, Table, Trouble, Waiting } from './Parts';
import type { ChatRow, Chats as Told } from './types';

const EVERY_MS = 3_000;
/** Who waits for longer wants somebody now. */
const LONG_MS = 5 * 60_000;

export const TOPICS: Readonly<Record<string, string>> = {
  support: 'Online support',
  loan: 'Loan officer',
  repay: 'Repayment specialist',
};

export const whoOf = ({ account }: { account: number | null }) => (account === null ? 'visitor' : `account ${account}`);

const fits = (row: ChatRow, text: string) =>
  [String(row.chat), whoOf(row), row.holder ?? ''].some((field) => field.includes(text.toLowerCase()));

export function Chats() {
  const { of, set } = useAddress();
  const [state, topic, text, id] = [of('state') || 'open', of('topic'), of('q'), of('id')];
  const { data, error, isPending, refetch, dataUpdatedAt } = useQuery({
    queryKey: ['chats', state],
    queryFn: () => get<Told>(`chats?state=${state}`),
    refetchInterval: EVERY_MS,
    placeholderData: keepPreviousData,
  });
  const all = data?.rows ?? [];
  const rows = all.filter((row) => (text === '' || fits(row, text)) && (topic === '' || row.topic === topic));
  const mine = all.filter(({ holder, state: at }) => holder === data?.me && at !== 'closed').length;
  const step = walk(
    rows.map((row) => String(row.chat)),
    id,
    (value) => set('id', value),
  );
  const isOpen = state === 'open';
  return (
    <>
      <Head title="Live service" note={data && `${data.waiting} waiting, you hold ${mine} of ${data.most_held}`}>
        <Search name="conversations" by="Number, account, holder" text={text} change={(text) => set('q', text)} />
        <select aria-label="Topic" value={topic} onChange={({ target }) => set('topic', target.value)}>
          <option value="">All topics</option>
          {Object.entries(TOPICS).map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
        <select
          aria-label="State"
          value={state}
          onChange={({ target }) => set('state', target.value === 'open' ? '' : target.value)}
        >
          <option value="open">Open</option>
          <option value="closed">Closed</option>
        </select>
      </Head>
      {error && <Trouble error={error} again={() => void refetch()} />}
      <div className={css.split} data-open={id !== ''} data-wide="true">
        <div className={css.card}>
          {isPending && !error && <Waiting />}
          {data && rows.length === 0 && (
            <Empty title={all.length > 0 ? 'None fits these filters' : isOpen ? 'Nobody waits' : 'None was closed yet'}>
              {all.length > 0
                ? 'Take a filter away to see more.'
                : isOpen
                  ? 'Who writes appears here by itself. While this page is open, users see that somebody is here.'
                  : 'Conversations that were closed appear here, the newest first.'}
            </Empty>
          )}
          {data && rows.length > 0 && (
            <Table
              name="Conversations"
              heads={[['Topic'], ['Who'], ['Language'], ['Holder'], [isOpen ? 'Waits' : 'Closed', 'right']]}
            >
              {rows.map((row) => {
                const own = String(row.chat);
                const waits = row.waits_ms === null ? 0 : data.now_ms + (Date.now() - dataUpdatedAt) - row.waits_ms;
                return (
                  <tr key={own} data-chosen={own === id} onClick={() => set('id', own)} onKeyDown={step}>
                    <td>
                      <RowButton
                        id={own}
                        isChosen={own === id}
                        label={`${TOPICS[row.topic] ?? row.topic}: conversation ${own}`}
                      >
                        <b>{TOPICS[row.topic] ?? row.topic}</b>
                      </RowButton>
                      <small className={css.dim}>conversation {own}</small>
                    </td>
                    <td>{whoOf(row)}</td>
                    <td>{languageName(row.lang)}</td>
                    <td>
                      {row.holder === null ? (
                        <span className={css.dim}>nobody</span>
                      ) : (
                        <Badge tone={row.holder === data.me && row.unread ? 'warn' : 'plain'}>
                          {row.holder === data.me ? (row.unread ? 'you, unread' : 'you') : row.holder}
                        </Badge>
                      )}
                    </td>
                    {row.closed_ms === null ? (
                      <td className={css.right} data-tone={waits > LONG_MS ? 'warn' : undefined}>
                        {row.waits_ms === null ? <span className={css.dim}>answered</span> : age(waits)}
                      </td>
                    ) : (
                      <td className={css.right}>
                        {time(row.closed_ms)}
                        {row.stars !== null && <small className={css.dim}>{row.stars} of 5 stars</small>}
                      </td>
                    )}
                  </tr>
                );
              })}
            </Table>
          )}
        </div>
        {id !== '' && <ChatDetail key={id} id={id} close={() => set('id', '')} done={() => void refetch()} />}
      </div>
    </>
  );
}

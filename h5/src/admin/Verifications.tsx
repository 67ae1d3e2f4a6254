/** Identity verification: the queue, what became of it, and beside it the case that is looked at. */
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import css from './admin.module.css';
import { get } from './api';
import { useAddress, walk } from './desk';
import { age, LEVELS, reasonText, time } from './format';
import { Badge, Empty, Head, RowButton, Search, Table, Trouble, Waiting } from './Parts';
import { RevocationDetail, Revocations } from './Revocations';
import type { Verifications as Told, VerificationRow } from './types';
import { documentOf, State, VerificationDetail } from './VerificationDetail';

const EVERY_MS = 3_000;
/** Who waits for longer wants somebody to look. */
const LONG_MS = 24 * 3_600_000;
/** No page but the last has fewer rows. */
const FEWEST = 10;

const VIEWS = [
  ['waiting', 'Waiting'],
  ['passed', 'Passed'],
  ['failed', 'Failed'],
  ['revocations', 'Revocations'],
] as const;

const fits = ({ account, case: id, reviewer }: VerificationRow, text: string) =>
  [String(account), String(id), reviewer ?? ''].some((field) => field.includes(text.toLowerCase()));

const NOTHING: Record<string, [title: string, note: string]> = {
  waiting: ['Nobody waits', 'What users hand in appears here by itself, the oldest first.'],
  passed: ['None has passed yet', 'Cases that passed appear here, the newest first.'],
  failed: ['None has failed yet', 'Cases that failed appear here, the newest first.'],
};

export function Verifications() {
  const { of, set } = useAddress();
  const [view, text, id, revocation] = [of('state') || 'waiting', of('q'), of('id'), of('revocation')];
  // Revocations come with every list.
  const wanted = view === 'revocations' ? 'waiting' : view;
  const { data, error, isPending, isFetchingNextPage, hasNextPage, fetchNextPage, refetch, dataUpdatedAt } =
    useInfiniteQuery({
      queryKey: ['verifications', wanted],
      queryFn: ({ pageParam }) =>
        get<Told>(`verifications?state=${wanted}${pageParam === null ? '' : `&before=${pageParam}`}`),
      initialPageParam: null as number | null,
      // Those that wait are told at once.
      getNextPageParam: ({ rows }) => (wanted === 'waiting' || rows.length < FEWEST ? undefined : rows.at(-1)?.case),
      refetchInterval: EVERY_MS,
      placeholderData: keepPreviousData,
    });
  const told = data?.pages[0];
  const all = data?.pages.flatMap((page) => page.rows) ?? [];
  const ordered = wanted === 'waiting' ? all.toSorted((one, other) => one.submitted_ms - other.submitted_ms) : all;
  const rows = ordered.filter((row) => text === '' || fits(row, text));
  const proposed = told?.revocations.filter(({ state }) => state === 'proposed').length ?? 0;
  const again = () => void refetch();
  const isRevoked = view === 'revocations';
  const chosen = told?.revocations.find((row) => String(row.case) === revocation);
  const open = (name: 'id' | 'revocation') => (value: string) => set(name, value);
  const step = walk(
    rows.map((row) => String(row.case)),
    id,
    open('id'),
  );
  const [nothing, nothingNote] = NOTHING[wanted] ?? ['Nothing is here', ''];

  return (
    <>
      <Head
        title="Verification"
        note={told && `${told.waiting} waiting, ${proposed} ${proposed === 1 ? 'revocation' : 'revocations'} to decide`}
      >
        {!isRevoked && (
          <Search name="verifications" by="Account, case, reviewer" text={text} change={(text) => set('q', text)} />
        )}
        <select
          aria-label="State"
          value={view}
          onChange={({ target }) => set('state', target.value === 'waiting' ? '' : target.value)}
        >
          {VIEWS.map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      </Head>
      {error && <Trouble error={error} again={again} />}
      <div className={css.split} data-open={isRevoked ? chosen !== undefined : id !== ''} data-wide={!isRevoked}>
        <div className={css.card}>
          {isPending && !error && <Waiting />}
          {told && isRevoked && (
            <Revocations rows={told.revocations} chosen={revocation} open={open('revocation')} done={again} />
          )}
          {told && !isRevoked && rows.length === 0 && (
            <Empty title={all.length === 0 ? nothing : 'None fits this search'}>
              {all.length === 0 ? nothingNote : 'Take the search away to see more.'}
            </Empty>
          )}
          {told && !isRevoked && rows.length > 0 && (
            <Table
              name="Verifications"
              heads={
                wanted === 'waiting'
                  ? [['Level'], ['Account'], ['Document'], ['Reviewer'], ['Waits', 'right']]
                  : [['Level'], ['Account'], ['Document'], ['Decided'], ['Why']]
              }
            >
              {rows.map((row) => {
                const own = String(row.case);
                return (
                  <tr key={own} data-chosen={own === id} onClick={() => set('id', own)} onKeyDown={step}>
                    <td>
                      <RowButton id={own} isChosen={own === id} label={`${LEVELS[row.level]}: case ${own}`}>
                        <b>{LEVELS[row.level]}</b>
                      </RowButton>
                      <small className={css.dim}>case {own}</small>
                    </td>
                    <td>{row.account}</td>
                    <td>{documentOf(row) || <span className={css.dim}>pictures</span>}</td>
                    {row.state === 'waiting' ? <Queued row={row} told={told} /> : <Decided row={row} />}
                  </tr>
                );
              })}
            </Table>
          )}
          {!isRevoked && hasNextPage && rows.length > 0 && (
            <button
              type="button"
              className={css.quiet}
              disabled={isFetchingNextPage}
              onClick={() => void fetchNextPage()}
            >
              {isFetchingNextPage ? 'Loading…' : 'Older cases'}
            </button>
          )}
        </div>
        {!isRevoked && id !== '' && told && (
          <VerificationDetail
            key={id}
            id={id}
            me={told.me}
            aheadMs={told.now_ms - dataUpdatedAt}
            close={() => set('id', '')}
          />
        )}
        {isRevoked && chosen && (
          <RevocationDetail
            key={revocation}
            row={chosen}
            me={told?.me ?? ''}
            close={() => set('revocation', '')}
            done={again}
          />
        )}
      </div>
    </>
  );
}

function Queued({ row, told }: { row: VerificationRow; told: Told }) {
  const waits = told.now_ms - row.submitted_ms;
  const isHeld = row.reviewer !== null && (row.leased_until_ms ?? 0) > told.now_ms;
  return (
    <>
      <td>
        {isHeld ? (
          <Badge tone="good">{row.reviewer === told.me ? 'you' : row.reviewer}</Badge>
        ) : (
          <span className={css.dim}>nobody</span>
        )}
      </td>
      <td className={css.right} data-tone={waits > LONG_MS ? 'warn' : undefined}>
        {age(waits)}
      </td>
    </>
  );
}

function Decided({ row }: { row: VerificationRow }) {
  return (
    <>
      <td>
        {row.decided_by ?? '–'}
        <small className={css.dim}>{row.decided_ms === null ? '–' : time(row.decided_ms)}</small>
      </td>
      <td>
        <State state={row.state} /> {row.reason && reasonText(row.reason)}
      </td>
    </>
  );
}

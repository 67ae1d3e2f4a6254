/** Articles: every version, the newest first, and beside it the one that is read or written. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import css from './admin.module.css';
import { get, useSession } from './api';
import { ContentDetail } from './ContentDetail';
import { ContentEditor } from './ContentEditor';
import { CATEGORIES, categoryOf, TONES } from './contentTexts';
import { useAddress, walk } from './desk';
import { time } from './format';
import { Badge, Empty, Head, RowButton, Search, Table, Trouble, Waiting } from './Parts';
import type { ArticleRow, Articles } from './types';

const EVERY_MS = 5_000;

const fits = (row: ArticleRow, text: string) =>
  [String(row.article), row.title ?? '', row.author ?? ''].some((field) =>
    field.toLowerCase().includes(text.toLowerCase()),
  );

/** What a version is for those who read: scheduled until its time, published after it, until a later one takes its place. */
export function stateOf(row: ArticleRow, all: readonly ArticleRow[]): string {
  if (row.state !== 'approved') return row.state;
  if (row.publish_ms > Date.now()) return 'scheduled';
  const replaces = ({ article, version, state, publish_ms }: ArticleRow) =>
    article === row.article && version > row.version && state === 'approved' && publish_ms <= Date.now();
  return all.some(replaces) ? 'replaced' : 'published';
}

export function Content() {
  const { of, set, setAll } = useAddress();
  const { may } = useSession();
  const [text, category, id, write] = [of('q'), of('category'), of('id'), of('write')];
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['content'],
    queryFn: () => get<Articles>('content'),
    refetchInterval: EVERY_MS,
    placeholderData: keepPreviousData,
  });
  const all = data?.rows ?? [];
  const rows = all.filter((row) => (text === '' || fits(row, text)) && (category === '' || row.category === +category));
  const review = all.filter(({ state }) => state === 'review').length;
  const again = () => void refetch();
  const step = walk(
    rows.map((row) => String(row.version)),
    id,
    (value) => set('id', value),
  );
  return (
    <>
      <Head title="Content" note={data && `${review} in review`}>
        <Search name="articles" by="Title, article, author" text={text} change={(text) => set('q', text)} />
        <select aria-label="Category" value={category} onChange={({ target }) => set('category', target.value)}>
          <option value="">All categories</option>
          {CATEGORIES.map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
        {may('WriteContent') && (
          <button type="button" onClick={() => set('write', 'new')}>
            New article
          </button>
        )}
      </Head>
      {error && <Trouble error={error} again={again} />}
      <div className={css.split} data-open={id !== '' || write !== ''} data-wide="true">
        <div className={css.card}>
          {isPending && !error && <Waiting />}
          {data && rows.length === 0 && (
            <Empty title={all.length === 0 ? 'Nothing was written yet' : 'None fits these filters'}>
              {all.length === 0
                ? `Users see the ${data.files.length} articles that came with the settings. A new version of one takes its place.`
                : 'Take a filter away to see more.'}
            </Empty>
          )}
          {rows.length > 0 && (
            <Table name="Articles" heads={[['Article'], ['Category'], ['State'], ['Author'], ['Shown from', 'right']]}>
              {rows.map((row) => {
                const own = String(row.version);
                return (
                  <tr key={own} data-chosen={own === id} onClick={() => set('id', own)} onKeyDown={step}>
                    <td>
                      <RowButton
                        id={own}
                        isChosen={own === id}
                        label={`${row.title ?? 'Without a title'}: version ${own}`}
                      >
                        <b>{row.title ?? 'Without a title'}</b>
                      </RowButton>
                      <small className={css.dim}>
                        article {row.article}, version {own}
                      </small>
                    </td>
                    <td>{categoryOf(row.category)}</td>
                    <td>
                      <Badge tone={TONES[stateOf(row, all)]}>{stateOf(row, all)}</Badge>
                      {row.missing.length > 0 && <small className={css.dim}>lacks {row.missing.join(', ')}</small>}
                    </td>
                    <td>{row.author ?? '–'}</td>
                    <td className={css.right}>{row.publish_ms === 0 ? 'at once' : time(row.publish_ms)}</td>
                  </tr>
                );
              })}
            </Table>
          )}
        </div>
        {write !== '' && data && (
          <ContentEditor
            key={write}
            of={write}
            files={data.files}
            close={() => set('write', '')}
            done={(version) => {
              setAll({ write: '', id: String(version) });
              again();
            }}
          />
        )}
        {write === '' && id !== '' && data && (
          <ContentDetail
            key={id}
            id={id}
            me={data.me}
            all={data.rows}
            close={() => set('id', '')}
            edit={(name) => set('write', name)}
            done={again}
          />
        )}
      </div>
    </>
  );
}

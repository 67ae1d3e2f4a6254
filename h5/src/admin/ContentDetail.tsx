/** One version of an article as its readers see it, and what may be done with it. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { richText } from '@/components/article/richText';
import css from './admin.module.css';
import { get, post, useSession } from './api';
import { stateOf } from './Content';
import { categoryOf, LANGUAGES, TONES } from './contentTexts';
import { time } from './format';
import { Badge, DetailHead, Facts, Part, Trouble, Waiting } from './Parts';
import { why } from './passkeys';
import type { ArticleDetail, ArticleRow } from './types';

interface Props {
  id: string;
  me: string;
  all: readonly ArticleRow[];
  close: () => void;
  edit: (name: string) => void;
  done: () => void;
}

export function ContentDetail({ id, me, all, close, edit, done }: Props) {
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['content', id],
    queryFn: () => get<ArticleDetail>(`content/${encodeURIComponent(id)}`),
  });
  const [language, setLanguage] = useState('en');
  const text = data?.texts[language] ?? data?.texts.en;
  return (
    <aside className={css.detail} aria-label={`Version ${id}`}>
      <DetailHead title={data?.title ?? `Version ${id}`} close={close}>
        {data && <Badge tone={TONES[stateOf(data, all)]}>{stateOf(data, all)}</Badge>}
      </DetailHead>
      {error && <Trouble error={error} again={() => void refetch()} />}
      {isPending && !error && <Waiting />}
      {data && (
        <>
          <Facts
            rows={[
              ['Article', `${data.article}, version ${data.version}`],
              ['Category', categoryOf(data.category)],
              ['Order', data.sorts],
              ['Shown from', data.publish_ms === 0 ? 'at once' : time(data.publish_ms)],
              ['Picture', data.cover === '' ? '–' : data.cover],
              ['Leads to', data.url === '' ? '–' : data.url],
              ['Written by', `${data.author ?? '–'}, ${time(data.created_ms)}`],
              ['Decided by', data.decided_ms === null ? '–' : `${data.decided_by ?? '–'}, ${time(data.decided_ms)}`],
              ['Note', data.note === '' ? '–' : data.note],
            ]}
          />
          <Part title="As readers see it">
            <select aria-label="Language" value={language} onChange={({ target }) => setLanguage(target.value)}>
              {LANGUAGES.map(([name, title]) => (
                <option key={name} value={name}>
                  {data.texts[name] ? title : `${title} (missing: English)`}
                </option>
              ))}
            </select>
            {text && (
              <article className={css.preview}>
                <h4>{text.title}</h4>
                {text.abstract !== '' && <p className={css.dim}>{text.abstract}</p>}
                {richText(text.content)}
              </article>
            )}
          </Part>
          <Steps
            data={data}
            me={me}
            edit={edit}
            done={() => {
              void refetch();
              done();
            }}
          />
        </>
      )}
    </aside>
  );
}

type Step = [to: string, name: string, needsNote?: 'needsNote'];

/** What of a version comes next, for its author and for others. */
const stepsOf = (data: ArticleDetail, isOwn: boolean): Step[] => {
  if (data.state === 'draft' && isOwn) return [['review', 'Send to review']];
  if (data.state === 'review' && !isOwn)
    return [
      ['approved', 'Approve'],
      ['refused', 'Refuse', 'needsNote'],
    ];
  return data.state === 'approved' ? [['withdrawn', 'Withdraw', 'needsNote']] : [];
};

interface StepsProps {
  data: ArticleDetail;
  me: string;
  edit: (name: string) => void;
  done: () => void;
}

function Steps({ data, me, edit, done }: StepsProps) {
  const { me: session, may } = useSession();
  const [note, setNote] = useState('');
  const [trouble, setTrouble] = useState('');
  const isOwn = data.author === me;
  const steps = stepsOf(data, isOwn);
  if (!may('WriteContent')) return null;
  const take = async (to: string) => {
    setTrouble('');
    try {
      await post(`content/${data.version}/step`, { to, note }, session.word);
      setNote('');
      done();
    } catch (error) {
      setTrouble(why(error));
    }
  };
  return (
    <Part title="What comes next">
      {data.state === 'review' && isOwn && <p className={css.dim}>Another person has to look at it.</p>}
      {steps.some(([, , needs]) => needs) && (
        <input
          aria-label="Why, for the author and the audit"
          placeholder="Why, for the author and the audit"
          maxLength={200}
          value={note}
          onChange={({ target }) => setNote(target.value)}
        />
      )}
      <div className={css.filters}>
        {steps.map(([to, name, needs]) => (
          <button
            key={to}
            type="button"
            disabled={needs !== undefined && note.trim() === ''}
            onClick={() => void take(to)}
          >
            {name}
          </button>
        ))}
        {data.state === 'draft' && isOwn ? (
          <button type="button" className={css.quiet} onClick={() => edit(`v${data.version}`)}>
            Edit
          </button>
        ) : (
          <button type="button" className={css.quiet} onClick={() => edit(`n${data.version}`)}>
            New version
          </button>
        )}
      </div>
      <p role="alert" data-tone="bad">
        {trouble}
      </p>
    </Part>
  );
}

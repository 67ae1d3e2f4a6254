/** Writes a draft: texts by language, where it stands, from when on it is shown. */
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import css from './admin.module.css';
import { get, post, useSession } from './api';
import { CATEGORIES, LANGUAGES } from './contentTexts';
import { DetailHead, Part, Trouble, Waiting } from './Parts';
import { why } from './passkeys';
import type { ArticleDetail, ArticleFile, ArticleText } from './types';

interface Props {
  /** `new`, `v` and the number of a draft to write again, `n` and that of a version to follow, `f` and the number of a file. */
  of: string;
  files: ArticleFile[];
  close: () => void;
  done: (version: number) => void;
}

interface Draft {
  version?: number;
  article?: number;
  category: number;
  sorts: number;
  cover: string;
  url: string;
  publish_ms: number;
  texts: Record<string, ArticleText>;
}

const EMPTY: Draft = { category: 4, sorts: 0, cover: '', url: '', publish_ms: 0, texts: {} };
const NO_TEXT: ArticleText = { title: '', abstract: '', content: '' };

/** A moment as the field of a form has it, in the person's own time. */
const field = (ms: number) => {
  if (ms === 0) return '';
  const at = new Date(ms);
  return new Date(ms - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
};

const draftOf = (of: string, detail: ArticleDetail): Draft => {
  const { category, sorts, cover, url, publish_ms, texts, article, version } = detail;
  return { category, sorts, cover, url, publish_ms, texts, article, ...(of.startsWith('v') && { version }) };
};

export function ContentEditor({ of, files, close, done }: Props) {
  const version = /^[vn](\d+)$/.exec(of)?.[1];
  const { data, error, isPending } = useQuery({
    queryKey: ['content', version],
    queryFn: () => get<ArticleDetail>(`content/${version}`),
    enabled: version !== undefined,
  });
  const file = files.find(({ id }) => `f${id}` === of);
  const begin: Draft | undefined = version === undefined ? (file ? ofFile(file) : EMPTY) : data && draftOf(of, data);
  return (
    <aside className={css.detail} aria-label="Write an article">
      <DetailHead title={begin?.article === undefined ? 'New article' : `Article ${begin.article}`} close={close} />
      {error && <Trouble error={error} />}
      {version !== undefined && isPending && !error && <Waiting />}
      {begin && <Form begin={begin} files={files} done={done} />}
    </aside>
  );
}

const ofFile = ({ id, c_id, sorts, cover, url, texts }: ArticleFile): Draft => ({
  article: id,
  category: c_id,
  sorts,
  cover,
  url,
  publish_ms: 0,
  texts,
});

interface FormProps {
  begin: Draft;
  files: ArticleFile[];
  done: (version: number) => void;
}

function Form({ begin, files, done }: FormProps) {
  const { me } = useSession();
  const [draft, setDraft] = useState(begin);
  const [language, setLanguage] = useState('en');
  const [trouble, setTrouble] = useState('');
  const [isSent, setIsSent] = useState(false);
  const text = draft.texts[language] ?? NO_TEXT;
  const put = (part: Partial<Draft>) => setDraft((now) => ({ ...now, ...part }));
  const say = (part: Partial<ArticleText>) => put({ texts: { ...draft.texts, [language]: { ...text, ...part } } });
  const save = async (event: FormEvent) => {
    event.preventDefault();
    setTrouble('');
    setIsSent(true);
    // A language of which nothing was written is missing, not empty.
    const texts = Object.fromEntries(
      Object.entries(draft.texts).filter(([, one]) => one.title + one.abstract + one.content !== ''),
    );
    try {
      const said = await post<{ version: number }>('content/write', { ...draft, texts }, me.word);
      done(said.version);
    } catch (error) {
      setTrouble(why(error));
      setIsSent(false);
    }
  };
  return (
    <form className={css.editor} onSubmit={(event) => void save(event)}>
      {begin.article === undefined && (
        <label>
          Begin with
          <select
            value=""
            onChange={({ target }) => {
              const file = files.find(({ id }) => String(id) === target.value);
              if (file) setDraft(ofFile(file));
            }}
          >
            <option value="">{draft.article === undefined ? 'An empty article' : `Article ${draft.article}`}</option>
            {files.map((file) => (
              <option key={file.id} value={file.id}>
                {file.id}: {file.texts.en?.title}
              </option>
            ))}
          </select>
        </label>
      )}
      <label>
        Category
        <select value={draft.category} onChange={({ target }) => put({ category: +target.value })}>
          {CATEGORIES.map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label>
        Order (highest first)
        <input type="number" value={draft.sorts} onChange={({ target }) => put({ sorts: Math.trunc(+target.value) })} />
      </label>
      <label>
        Shown from (empty: at once)
        <input
          type="datetime-local"
          value={field(draft.publish_ms)}
          onChange={({ target }) => put({ publish_ms: target.value === '' ? 0 : new Date(target.value).getTime() })}
        />
      </label>
      <label>
        Leads to (/pages/… or https://…)
        <input value={draft.url} maxLength={500} onChange={({ target }) => put({ url: target.value.trim() })} />
      </label>
      <label>
        Picture (/upload/…)
        <input value={draft.cover} maxLength={200} onChange={({ target }) => put({ cover: target.value.trim() })} />
      </label>
      <Part title="Text">
        <select aria-label="Language" value={language} onChange={({ target }) => setLanguage(target.value)}>
          {LANGUAGES.map(([name, title]) => (
            <option key={name} value={name}>
              {draft.texts[name] ? title : `${title} (missing)`}
            </option>
          ))}
        </select>
        <label>
          Title
          <input value={text.title} maxLength={120} onChange={({ target }) => say({ title: target.value })} />
        </label>
        <label>
          Abstract
          <input value={text.abstract} maxLength={300} onChange={({ target }) => say({ abstract: target.value })} />
        </label>
        <label>
          Text, as HTML
          <textarea rows={12} value={text.content} onChange={({ target }) => say({ content: target.value })} />
        </label>
      </Part>
      <button type="submit" disabled={isSent || !draft.texts.en?.title}>
        Save draft
      </button>
      <p role="alert" data-tone="bad">
        {trouble}
      </p>
    </form>
  );
}

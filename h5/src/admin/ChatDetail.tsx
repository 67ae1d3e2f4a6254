/**
 * One conversation: what was said, for who holds it, and what they may do with it. Asks again every other second while they hold it.
 * A text keeps its client id until the server has said what became of it: a lost answer is sent again, and stored once.
 */
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import css from './admin.module.css';
import { get, post, useSession } from './api';
import { TOPICS, whoOf } from './Chats';
import { languageName } from './contentTexts';
import { time } from './format';
import { Badge, DetailHead, Facts, Notes, Part, Trouble, Waiting } from './Parts';
import { why } from './passkeys';
import type { ChatMessage, ChatDetail as Told } from './types';

const EVERY_MS = 2_000;
const TELL_TYPING_MS = 4_000;
const MOST_LETTERS = 1_000;
const MOST_NOTE = 200;

const NAMES: Readonly<Record<ChatMessage['from'], string>> = { user: 'User', agent: 'We', system: '' };
const STATES: Readonly<Record<string, string>> = {
  open: 'open',
  waiting_agent: 'waits for us',
  waiting_user: 'waits for the user',
  closed: 'closed',
};

interface Props {
  id: string;
  close: () => void;
  done: () => void;
}

export function ChatDetail({ id, close, done }: Props) {
  const { me, may } = useSession();
  const [trouble, setTrouble] = useState('');
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['chats', 'one', id],
    queryFn: () => get<Told>(`chats/${encodeURIComponent(id)}`),
    // Each look of somebody who does not hold it is noted.
    refetchInterval: ({ state }) => state.data?.mine === true && state.data.state !== 'closed' && EVERY_MS,
    refetchOnWindowFocus: false,
  });
  const last = data?.messages.at(-1)?.id ?? 0;
  const isMine = data?.mine === true && data.state !== 'closed';
  useEffect(() => {
    // It is told again with the next message.
    if (isMine && last > 0) post(`chats/${id}/read`, { upto: last }, me.word).catch(() => undefined);
  }, [isMine, last, id, me.word]);
  const take = async (what: string, body: object): Promise<boolean> => {
    setTrouble('');
    try {
      await post(`chats/${id}/${what}`, body, me.word);
      done();
      await refetch();
      return true;
    } catch (failure) {
      setTrouble(why(failure));
      return false;
    }
  };
  return (
    <aside className={css.detail} aria-label={`Conversation ${id}`}>
      <DetailHead title={data ? (TOPICS[data.topic] ?? data.topic) : `Conversation ${id}`} close={close}>
        {data && <Badge tone={data.state === 'waiting_agent' ? 'warn' : 'plain'}>{STATES[data.state]}</Badge>}
      </DetailHead>
      {error && <Trouble error={error} again={() => void refetch()} />}
      {isPending && !error && <Waiting />}
      {data && (
        <>
          <Facts
            rows={[
              ['Who', whoOf(data)],
              ['Language', languageName(data.lang)],
              ['Holder', data.holder ?? 'nobody'],
              ['Began', time(data.opened_ms)],
              ...(data.stars === null ? [] : [['Stars', `${data.stars} of 5`] as [string, string]]),
            ]}
          />
          {may('AnswerChats') && data.holder === null && data.state !== 'closed' && (
            <div className={css.filters}>
              <button type="button" onClick={() => void take('claim', {})}>
                Claim
              </button>
            </div>
          )}
          <Part title="What was said">
            {data.reads ? (
              <Log data={data} />
            ) : (
              <p className={css.dim}>What was said is shown to who holds the conversation.</p>
            )}
          </Part>
          {isMine && <Answer id={id} data={data} word={me.word} done={() => void refetch()} />}
          {isMine && <Leave data={data} take={take} />}
          <p role="alert" data-tone="bad">
            {trouble}
          </p>
          <Part title="Notes">
            <Notes rows={data.notes} />
          </Part>
        </>
      )}
    </aside>
  );
}

function Log({ data }: { data: Told }) {
  const log = useRef<HTMLDivElement>(null);
  const count = data.messages.length;
  useEffect(() => {
    if (log.current && count > 0) log.current.scrollTop = log.current.scrollHeight;
  }, [count]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <div ref={log} role="log" aria-label="Messages" className={css.chat} tabIndex={0}>
      {data.messages.map((row) => (
        <p key={row.id} data-from={row.from}>
          {row.from !== 'system' && (
            <span className={css.dim}>
              {NAMES[row.from]}, {time(row.at_ms)}
              {row.from === 'agent' && (row.id <= data.user_read ? ', read' : ', sent')}
            </span>
          )}
          {row.image ? <Picture chat={data.chat} message={row.id} mine={data.mine} /> : <span>{row.text}</span>}
        </p>
      ))}
      <p role="status" className={css.dim}>
        {data.user_typing ? 'The user is typing…' : ''}
      </p>
    </div>
  );
}

/** Each look at a picture is noted: it is shown when it is asked for. */
function Picture({ chat, message, mine }: { chat: number; message: number; mine: boolean }) {
  const [isShown, setIsShown] = useState(false);
  if (!mine) return <span className={css.dim}>a picture</span>;
  return isShown ? (
    <img src={`/admin/api/chats/${chat}/pictures/${message}`} alt="From the user" />
  ) : (
    <button type="button" className={css.quiet} onClick={() => setIsShown(true)}>
      Show the picture
    </button>
  );
}

interface AnswerProps {
  id: string;
  data: Told;
  word: string;
  done: () => void;
}

function Answer({ id, data, word, done }: AnswerProps) {
  const [text, setText] = useState('');
  const [trouble, setTrouble] = useState('');
  const [isBusy, setIsBusy] = useState(false);
  /** Of the text that is on its way, or whose answer was lost. */
  const pending = useRef<{ text: string; clientId: string } | null>(null);
  const toldMs = useRef(0);
  const send = async () => {
    if (text.trim() === '' || isBusy) return;
    if (pending.current?.text !== text) pending.current = { text, clientId: crypto.randomUUID() };
    setIsBusy(true);
    setTrouble('');
    try {
      await post(`chats/${id}/send`, { client_id: pending.current.clientId, text }, word);
      pending.current = null;
      setText('');
      done();
    } catch (failure) {
      setTrouble(why(failure));
    }
    setIsBusy(false);
  };
  const type = (value: string) => {
    setText(value);
    if (Date.now() - toldMs.current < TELL_TYPING_MS) return;
    toldMs.current = Date.now();
    post(`chats/${id}/typing`, {}, word).catch(() => undefined);
  };
  const key = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    void send();
  };
  return (
    <Part title="Answer">
      <div className={css.write}>
        <select aria-label="Canned answers" value="" onChange={({ target }) => setText(target.value)}>
          <option value="">Canned answers in {languageName(data.lang)}…</option>
          {data.canned.map((canned) => (
            <option key={canned} value={canned}>
              {canned}
            </option>
          ))}
        </select>
        <textarea
          aria-label="Your answer"
          rows={3}
          maxLength={MOST_LETTERS}
          value={text}
          onChange={({ target }) => type(target.value)}
          onKeyDown={key}
        />
        <div className={css.filters}>
          <button type="button" disabled={text.trim() === '' || isBusy} onClick={() => void send()}>
            Send
          </button>
        </div>
      </div>
      <p role="alert" data-tone="bad">
        {trouble}
      </p>
    </Part>
  );
}

interface LeaveProps {
  data: Told;
  take: (what: string, body: object) => Promise<boolean>;
}

function Leave({ data, take }: LeaveProps) {
  const [to, setTo] = useState('');
  const [note, setNote] = useState('');
  return (
    <Part title="Hand over or close">
      <div className={css.write}>
        <select aria-label="To whom" value={to} onChange={({ target }) => setTo(target.value)}>
          <option value="">Back to the queue</option>
          {data.people.map((person) => (
            <option key={person.id} value={person.id}>
              {person.signs}
            </option>
          ))}
        </select>
        <input
          aria-label="Note for who goes on"
          placeholder="Note for who goes on"
          maxLength={MOST_NOTE}
          value={note}
          onChange={({ target }) => setNote(target.value)}
        />
        <div className={css.filters}>
          <button
            type="button"
            className={css.quiet}
            disabled={note.trim() === ''}
            onClick={() => void take('hand-over', { to: to === '' ? null : Number(to), note })}
          >
            Hand over
          </button>
          <button type="button" className={css.quiet} onClick={() => void take('close', {})}>
            Close conversation
          </button>
        </div>
      </div>
    </Part>
  );
}

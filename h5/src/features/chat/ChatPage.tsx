import { ArrowUp, ImageUp } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { Button, ErrorState, IconButton, NavBar, Skeleton } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { currentHref, navigateTo } from '@/lib/navigation';
import { useToken } from '@/lib/session';
import { toast } from '@/lib/toast';
import { sendPicture, sendQueue, TOPICS, type Topic, tellTyping, useChat } from './api/chat';
import css from './Chat.module.css';
import { Line, UnsentLine } from './Line';
import { Rating } from './Rating';

const MOST_LETTERS = 1_000;
/** Who is so near to the end, in pixels, goes on to what comes. */
const NEAR = 160;

const topicOf = (text: string | null): Topic => TOPICS.find((topic) => topic === text) ?? 'support';

/** A conversation with the customer service about one topic. */
export default function ChatPage() {
  const { t } = useTranslation('chat');
  const [params] = useSearchParams();
  const topic = topicOf(params.get('topic'));
  const isGuest = useToken() === '';
  const chat = useChat(topic);
  const { conversation, rows, unsent, isTyping, error } = chat;
  const isClosed = conversation?.state === 'closed';
  const isEmpty = conversation !== undefined && rows.length === 0 && unsent.length === 0;
  const page = useEnd(unsent.length);
  const [first] = rows;
  return (
    <>
      <NavBar title={t(`topic.${topic}`)} />
      <div ref={page} className={css.page}>
        {isGuest && (
          <p className={css.note}>
            {t('guest')}{' '}
            <button
              type="button"
              className={css.link}
              onClick={() => navigateTo(PATHS.login, { redirect: currentHref() })}
            >
              {t('login')}
            </button>
          </p>
        )}
        {conversation && !conversation.is_staffed && !isClosed && (
          <p className={css.note} role="status">
            {t(isGuest ? 'awayGuest' : 'away')}
          </p>
        )}
        {error && <ErrorState compact={conversation !== undefined} error={error} onRetry={chat.retry} />}
        {chat.isPending && !error && <Waiting />}
        {isEmpty && !chat.isPending && (
          <div className={css.start}>
            <h2>{t('start')}</h2>
            <p>{t('startNote')}</p>
          </div>
        )}
        <div role="log" aria-label={t('log')} className={css.log} aria-busy={chat.isPending}>
          {rows.map((row) => (
            <Line key={row.id} row={row} id={conversation?.id ?? 0} readUpto={conversation?.agent_read ?? 0} />
          ))}
          {unsent.map((row) => (
            <UnsentLine key={row.clientId} row={row} />
          ))}
        </div>
        {isTyping && !isClosed && first && (
          <p className={css.typing} role="status">
            {t('typing')}
          </p>
        )}
        {isClosed && <Rating stars={conversation.stars} rate={chat.rate} begin={chat.begin} />}
      </div>
      {conversation && !isClosed && <Composer id={conversation.id} isGuest={isGuest} />}
    </>
  );
}

/** The last message stays in view as the page grows, unless its reader went up; what they send themselves always does. */
function useEnd(own: number) {
  const page = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!page.current) return;
    const { documentElement: root } = document;
    let isAtEnd = true;
    const look = () => {
      isAtEnd = root.scrollHeight - window.scrollY - window.innerHeight < NEAR;
    };
    const observer = new ResizeObserver(() => {
      if (isAtEnd) window.scrollTo(0, root.scrollHeight);
    });
    observer.observe(page.current);
    window.addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      window.removeEventListener('scroll', look);
    };
  }, []);
  useEffect(() => {
    if (own > 0) window.scrollTo(0, document.documentElement.scrollHeight);
  }, [own]);
  return page;
}

function Composer({ id, isGuest }: { id: number; isGuest: boolean }) {
  const { t } = useTranslation('chat');
  const [text, setText] = useState('');
  const album = useRef<HTMLInputElement>(null);
  const content = text.trim();
  const send = () => {
    if (content === '') return;
    sendQueue.add(id, { content });
    setText('');
  };
  const key = (event: KeyboardEvent) => {
    // On a phone the key makes a new line: there the button sends.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing || navigator.maxTouchPoints > 0)
      return;
    event.preventDefault();
    send();
  };
  const pick = async (file: File | undefined) => {
    if (file && !(await sendPicture(id, file))) toast(t('noPicture'), 'error');
  };
  return (
    <form
      className={css.composer}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {!isGuest && (
        <>
          <IconButton
            label={t('picture')}
            onClick={() => {
              if (!album.current) return;
              // The same file may be chosen once more.
              album.current.value = '';
              album.current.click();
            }}
          >
            <ImageUp size={22} aria-hidden="true" />
          </IconButton>
          <input
            ref={album}
            type="file"
            accept="image/*"
            hidden
            aria-label={t('picture')}
            onChange={({ target }) => void pick(target.files?.[0])}
          />
        </>
      )}
      <textarea
        className={css.field}
        rows={1}
        aria-label={t('write')}
        placeholder={t('write')}
        maxLength={MOST_LETTERS}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          if (target.value !== '') tellTyping(id);
        }}
        onKeyDown={key}
      />
      <Button type="submit" size="m" disabled={content === ''} className={css.send} aria-label={t('send')}>
        <ArrowUp size={20} aria-hidden="true" />
      </Button>
    </form>
  );
}

function Waiting() {
  const { t } = useTranslation('chat');
  return (
    <div className={css.waiting} role="status" aria-label={t('log')}>
      <Skeleton width="60%" height={44} />
      <Skeleton width="45%" height={44} className={css.own} />
      <Skeleton width="70%" height={64} />
    </div>
  );
}

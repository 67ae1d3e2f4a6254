import clsx from 'clsx';
import { Headset } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Skeleton } from '@/components/ui';
import { formatMoment } from '@/lib/format';
import { type ChatMessage, sendQueue, useChatPicture } from './api/chat';
import css from './Chat.module.css';
import type { Unsent } from './sendQueue';

interface Props {
  row: ChatMessage;
  /** Of the conversation. */
  id: number;
  /** The last message that the other side has read. */
  readUpto: number;
}

/** One message: plain text, or a picture. */
export function Line({ row, id, readUpto }: Props) {
  const { t } = useTranslation('chat');
  if (row.from === 'system') return <p className={css.system}>{row.content}</p>;
  const isOwn = row.from === 'user';
  return (
    <div className={clsx(css.line, isOwn && css.own)}>
      {!isOwn && (
        <span className={css.agent}>
          <Headset size={14} aria-hidden="true" />
          {t('agent')}
        </span>
      )}
      <div className={css.bubble}>
        {isOwn && <span className="sr-only">{t('you')}</span>}
        {row.image === '' ? row.content : <Picture id={id} image={row.image} />}
      </div>
      <span className={css.meta}>
        <time className="num" dateTime={new Date(row.create_ms).toISOString()}>
          {formatMoment(row.create_ms)}
        </time>
        {isOwn && <span>{t(row.id <= readUpto ? 'read' : 'sent')}</span>}
      </span>
    </div>
  );
}

function Picture({ id, image }: { id: number; image: string }) {
  const { t } = useTranslation('chat');
  const { data, isError, refetch } = useChatPicture(id, image);
  if (isError)
    return (
      <button type="button" className={css.link} onClick={() => void refetch()}>
        {t('pictureGone')}
      </button>
    );
  return data ? (
    <img className={css.picture} src={data} alt={t('pictureAlt')} />
  ) : (
    <Skeleton width={180} height={120} />
  );
}

/** One that is not known to be at the server. */
export function UnsentLine({ row }: { row: Unsent }) {
  const { t } = useTranslation('chat');
  const { t: c } = useTranslation();
  const url = useAddress(row.picture);
  return (
    <div className={clsx(css.line, css.own)}>
      <div className={clsx(css.bubble, css.unsent)}>
        <span className="sr-only">{t('you')}</span>
        {url === '' ? row.content : <img className={css.picture} src={url} alt={t('pictureAlt')} />}
      </div>
      {row.state === 'refused' ? (
        <span className={css.meta} role="alert">
          <span className={css.wrong}>
            {t('refused')} {row.why}
          </span>
          <button type="button" className={css.link} onClick={() => sendQueue.again(row.clientId)}>
            {c('retry')}
          </button>
          <button type="button" className={css.link} onClick={() => sendQueue.drop([row.clientId])}>
            {t('discard')}
          </button>
        </span>
      ) : (
        <span className={css.meta}>{t(row.state === 'sending' ? 'sending' : 'waiting')}</span>
      )}
    </div>
  );
}

/** A picture of this device as an address, for as long as it is shown. */
function useAddress(picture: Blob | null): string {
  const [url, setUrl] = useState('');
  useEffect(() => {
    if (!picture) return;
    const made = URL.createObjectURL(picture);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [picture]);
  return url;
}

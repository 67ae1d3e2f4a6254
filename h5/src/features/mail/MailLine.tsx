import clsx from 'clsx';
import { useTranslation } from 'react-i18next';
import { Skeleton } from '@/components/ui';
import { formatDateTime, parseServerTime, relativeTime } from '@/lib/format';
import { navigateTo } from '@/lib/navigation';
import { EventIcon } from './EventIcon';
import { lookOf } from './look';
import css from './Mail.module.css';

interface Props {
  event: string;
  title: string;
  abstract: string;
  /** As the server says it. */
  time: string;
  /** Nothing is known of what a guest has read. */
  unread?: boolean;
  to: { path: string; query: Record<string, string | number> };
}

/** One message of a list, which opens it. */
export function MailLine({ event, title, abstract, time, unread, to }: Props) {
  const { t } = useTranslation('mail');
  const ms = parseServerTime(time);
  return (
    <button
      type="button"
      className={clsx(css.line, unread === false && css.seen)}
      onClick={() => navigateTo(to.path, to.query)}
    >
      <EventIcon {...lookOf(event)} />
      <span className={css.words}>
        <span className={css.title}>{title}</span>
        {abstract && <span className={css.abstract}>{abstract}</span>}
        <time className={`num ${css.time}`} dateTime={new Date(ms).toISOString()} title={formatDateTime(ms)}>
          {relativeTime(ms)}
        </time>
      </span>
      {unread && (
        <span className={css.dot}>
          <span className="sr-only">{t('new')}</span>
        </span>
      )}
    </button>
  );
}

const PLACES = ['a', 'b', 'c', 'd', 'e', 'f', 'g'] as const;

/** Lines in the shape of what is coming. */
export function MailSkeleton() {
  const { t } = useTranslation();
  return (
    <div role="status" aria-label={t('loading')}>
      {PLACES.map((place) => (
        <div key={place} className={css.line}>
          <Skeleton width={40} height={40} round />
          <span className={css.waiting}>
            <Skeleton width="58%" />
            <Skeleton width="92%" height={11} />
            <Skeleton width="24%" height={10} />
          </span>
        </div>
      ))}
    </div>
  );
}

/** What there is to read: three kinds of messages, how many of each are new, and the last one of each. */
import { ChevronRight, Headset, type LucideIcon, MessageSquareText } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Count, Entry, ErrorState, NavBar, PullRefresh, Skeleton } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { unreadIn, useUnread } from '@/lib/api/mail';
import { parseServerTime, relativeTime } from '@/lib/format';
import { type MailKind, useAskAgain, useLatest } from './api/mails';
import { EventIcon } from './EventIcon';
import { lookOf, type Tone } from './look';
import css from './Mail.module.css';
import { ReadAll } from './ReadAll';

export default function MailPage() {
  const { t } = useTranslation('mail');
  const unread = useUnread();
  const system = useLatest('system');
  const notice = useLatest('notice');
  const askAgain = useAskAgain();
  const error = system.error ?? notice.error;
  return (
    <>
      <NavBar title={t('title')} right={<ReadAll unread={unreadIn(unread)} />} />
      <PullRefresh onRefresh={askAgain}>
        {error && <ErrorState compact error={error} onRetry={() => void askAgain()} />}
        <ul className={css.kinds} aria-label={t('title')}>
          <Kind name="service" icon={Headset} tone="up" path={PATHS.contactus} unread={unread?.service} />
          <Kind
            name="system"
            icon={MessageSquareText}
            tone="base"
            path={PATHS.mailList}
            unread={unread?.system}
            latest={system}
          />
          <Kind
            name="notice"
            icon={lookOf('announcement').icon}
            tone="warn"
            path={PATHS.mailNotices}
            unread={unread?.notice}
            latest={notice}
          />
        </ul>
      </PullRefresh>
    </>
  );
}

interface KindProps {
  name: 'service' | MailKind;
  icon: LucideIcon;
  tone: Tone;
  path: string;
  unread: number | undefined;
  /** Its last message; a kind without messages says what it is for. */
  latest?: ReturnType<typeof useLatest>;
}

function Kind({ name, icon, tone, path, unread = 0, latest }: KindProps) {
  const { t } = useTranslation('mail');
  const row = latest?.data;
  const time = row ? relativeTime(parseServerTime(row.create_time)) : '';
  return (
    <li>
      <Entry to={{ path }} className={css.kind}>
        <EventIcon icon={icon} tone={tone} />
        <span className={css.words}>
          <span className={css.head}>
            <b className={css.name}>{t(`kind.${name}`)}</b>
            {time && <span className={`num ${css.time}`}>{time}</span>}
          </span>
          <span className={css.head}>
            <span className={css.last}>
              {latest?.isPending ? <Skeleton width="70%" height={12} /> : row?.title || t(`about.${name}`)}
            </span>
            <Count value={unread} />
          </span>
        </span>
        <ChevronRight size={16} aria-hidden="true" className={css.arrow} />
      </Entry>
    </li>
  );
}

import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { RichText } from '@/components/article/richText';
import { Avatar, Button, Empty, ErrorState, NavBar, PullRefresh, Skeleton } from '@/components/ui';
import { isBuilt, PATHS } from '@/config/paths';
import { BusinessError } from '@/lib/api/errors';
import { formatDateTime, parseServerTime } from '@/lib/format';
import { navigateTo, parseInternal, redirectTo } from '@/lib/navigation';
import { type MailKind, type MailRow, useMail } from './api/mails';
import css from './Mail.module.css';

/** The server knows no such message. */
const UNKNOWN = 1003;

export default function MailDetailPage() {
  const { t } = useTranslation('mail');
  const [params] = useSearchParams();
  const kind: MailKind = params.get('kind') === 'notice' ? 'notice' : 'system';
  const { data, error, isPending, refetch } = useMail(kind, params.get('id') ?? '');
  const title = t(kind === 'notice' ? 'announcement' : 'message');
  const gone = error instanceof BusinessError && error.code === UNKNOWN;
  return (
    <>
      <NavBar title={title} />
      <PullRefresh onRefresh={refetch}>
        {isPending && <Waiting label={title} />}
        {gone && (
          <Empty
            title={t('gone')}
            action={{
              label: t('toAll'),
              onClick: () => redirectTo(kind === 'notice' ? PATHS.mailNotices : PATHS.mailList),
            }}
          />
        )}
        {error && !gone && <ErrorState compact={Boolean(data)} error={error} onRetry={() => void refetch()} />}
        {data && !gone && <Message row={data} />}
      </PullRefresh>
    </>
  );
}

function Message({ row }: { row: MailRow }) {
  const { t } = useTranslation('mail');
  const ms = parseServerTime(row.create_time);
  const lead = parseInternal(row.url);
  return (
    <article className={css.detail}>
      <div className={css.sender}>
        <Avatar src={row.sender_avatar} name={row.sender_name} size={40} />
        <p className={css.from}>
          <b>{row.sender_name}</b>
          <time className="num" dateTime={new Date(ms).toISOString()}>
            {formatDateTime(ms)}
          </time>
        </p>
      </div>
      <h2 className={css.subject}>{row.title}</h2>
      {row.kind === 'notice' ? <RichText html={row.content} /> : <p className={css.text}>{row.content}</p>}
      {lead && isBuilt(lead.path) && (
        <Button size="l" block className={css.lead} onClick={() => navigateTo(lead.path, lead.query)}>
          {t('open')}
        </Button>
      )}
    </article>
  );
}

function Waiting({ label }: { label: string }) {
  return (
    <div className={css.detail} role="status" aria-label={label}>
      <div className={css.sender}>
        <Skeleton width={40} height={40} round />
        <span className={css.waiting}>
          <Skeleton width={110} />
          <Skeleton width={150} height={11} />
        </span>
      </div>
      <div className={css.waiting}>
        <Skeleton height={24} width="75%" />
        <Skeleton />
        <Skeleton />
        <Skeleton width="60%" />
      </div>
    </div>
  );
}

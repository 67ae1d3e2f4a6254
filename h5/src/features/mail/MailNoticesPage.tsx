import { useTranslation } from 'react-i18next';
import { Empty, InfiniteList, NavBar, PullRefresh } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { useUnread } from '@/lib/api/mail';
import { switchTab } from '@/lib/navigation';
import { useToken } from '@/lib/session';
import { useNews } from './api/news';
import { MailLine, MailSkeleton } from './MailLine';
import { Mails } from './Mails';
import { ReadAll } from './ReadAll';

/** Announcements: messages to everybody. For a guest they are articles. */
export default function MailNoticesPage() {
  const { t } = useTranslation('mail');
  const member = useToken() !== '';
  const unread = useUnread()?.notice ?? 0;
  return (
    <>
      <NavBar title={t('kind.notice')} right={member && <ReadAll kind="notice" unread={unread} />} />
      {member ? <Mails kind="notice" /> : <News />}
    </>
  );
}

function News() {
  const { t } = useTranslation('mail');
  const { t: c } = useTranslation();
  const { refetch, ...list } = useNews();
  return (
    <PullRefresh onRefresh={refetch}>
      <InfiniteList
        {...list}
        label={t('kind.notice')}
        rowKey={(row) => row.id}
        renderRow={(row) => (
          <MailLine
            event="announcement"
            title={row.title}
            abstract={row.abstract}
            time={row.create_time}
            to={{ path: PATHS.article, query: { id: row.id } }}
          />
        )}
        skeleton={<MailSkeleton />}
        empty={
          <Empty
            title={t('none.notice')}
            note={t('noneNote.notice')}
            action={{ label: c('tab.market'), onClick: () => switchTab(PATHS.market) }}
          />
        }
      />
    </PullRefresh>
  );
}

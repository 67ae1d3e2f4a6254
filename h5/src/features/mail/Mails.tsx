import { useTranslation } from 'react-i18next';
import { Empty, InfiniteList, PullRefresh } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { switchTab } from '@/lib/navigation';
import { type MailKind, type MailRow, useMails } from './api/mails';
import { MailLine, MailSkeleton } from './MailLine';

/** The messages of one kind. */
export function Mails({ kind }: { kind: MailKind }) {
  const { t } = useTranslation('mail');
  const { t: c } = useTranslation();
  const { refetch, ...list } = useMails(kind);
  return (
    <PullRefresh onRefresh={refetch}>
      <InfiniteList<MailRow>
        {...list}
        label={t(`kind.${kind}`)}
        rowKey={(row) => row.id}
        renderRow={(row) => (
          <MailLine
            event={row.event}
            title={row.title}
            abstract={row.abstract}
            time={row.create_time}
            unread={row.is_read === 0}
            to={{ path: PATHS.mailDetail, query: { id: row.id, kind } }}
          />
        )}
        skeleton={<MailSkeleton />}
        empty={
          <Empty
            title={t(`none.${kind}`)}
            note={t(`noneNote.${kind}`)}
            action={{ label: c('tab.market'), onClick: () => switchTab(PATHS.market) }}
          />
        }
      />
    </PullRefresh>
  );
}

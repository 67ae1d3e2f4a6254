import { FileCheck } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useLocation, useSearchParams } from 'react-router';
import { RichText, withoutLinks } from '@/components/article/richText';
import { Empty, ErrorState, List, ListItem, NavBar, PullRefresh, Skeleton } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { BusinessError } from '@/lib/api/errors';
import { formatDate, parseServerTime } from '@/lib/format';
import { navigateTo, relaunch } from '@/lib/navigation';
import css from './ArticlePage.module.css';
import { SINGLES, type Single, useArticle } from './api/article';
import { ChatEntries } from './ChatEntries';
import { ContactLinks } from './ContactLinks';

/** Articles that have a page of their own. */
const PAGES: Readonly<Record<string, Single>> = {
  [PATHS.aboutus]: 'aboutus',
  [PATHS.compliance]: 'compliance',
  [PATHS.contactus]: 'contactus',
};

function singleOf(pathname: string, type: string | null): Single | null {
  const own = PAGES[pathname];
  if (own) return own;
  return type !== null && type in SINGLES ? (type as Single) : null;
}

export default function ArticlePage() {
  const { t } = useTranslation('setting');
  const { t: c } = useTranslation();
  const { pathname } = useLocation();
  const [params] = useSearchParams();
  const single = singleOf(pathname, params.get('type'));
  const id = params.get('id') ?? '';
  const { data, error, isPending, refetch } = useArticle(single, id);
  const title = single ? t(`article.${single}`) : t('article.title');
  const gone = error instanceof BusinessError || (!isPending && !error && !data);

  return (
    <>
      <NavBar title={title} />
      <PullRefresh onRefresh={refetch}>
        {single === 'contactus' && (
          <div className={css.entries}>
            <ChatEntries />
          </div>
        )}
        {isPending && (
          <div className={css.waiting} role="status" aria-label={title}>
            <Skeleton height={26} width="80%" />
            <Skeleton height={12} width="30%" />
            <Skeleton />
            <Skeleton />
            <Skeleton width="60%" />
          </div>
        )}
        {gone && (
          <Empty title={t('article.gone')} action={{ label: t('article.home'), onClick: () => relaunch(PATHS.home) }} />
        )}
        {error && !gone && <ErrorState compact={Boolean(data)} error={error} onRetry={() => void refetch()} />}
        {data && (
          <article className={css.article}>
            <h2 className={css.title}>{data.title}</h2>
            <p className={css.meta}>
              {[data.author, formatDate(parseServerTime(data.create_time))].filter(Boolean).join(' · ')}
            </p>
            {single === 'contactus' ? (
              <>
                <RichText html={withoutLinks(data.content)} />
                <ContactLinks html={data.content} />
              </>
            ) : (
              <RichText html={data.content} />
            )}
          </article>
        )}
        {single === 'aboutus' && (
          <List>
            <ListItem icon={<FileCheck size={19} />} title={c('reserves')} onClick={() => navigateTo(PATHS.reserves)} />
          </List>
        )}
      </PullRefresh>
    </>
  );
}

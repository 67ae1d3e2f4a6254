import { useTranslation } from 'react-i18next';
import { useLocation, useSearchParams } from 'react-router';
import { Empty, ErrorState, NavBar, PullRefresh, Skeleton } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { BusinessError } from '@/lib/api/errors';
import { formatDate, parseServerTime } from '@/lib/format';
import { relaunch } from '@/lib/navigation';
import css from './ArticlePage.module.css';
import { SINGLES, type Single, useArticle } from './api/article';
import { richText } from './richText';

function singleOf(pathname: string, type: string | null): Single | null {
  if (pathname === PATHS.aboutus) return 'aboutus';
  if (pathname === PATHS.compliance) return 'compliance';
  return type !== null && type in SINGLES ? (type as Single) : null;
}

export default function ArticlePage() {
  const { t } = useTranslation('setting');
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
            <div className={css.content}>{richText(data.content)}</div>
          </article>
        )}
      </PullRefresh>
    </>
  );
}

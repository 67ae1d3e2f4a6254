import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { MenuIcon } from '@/components/market/MenuIcon';
import { Entry, ErrorState, type Lead, Skeleton, Swiper } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { parseInternal } from '@/lib/navigation';
import { type MenuEntry, menuQuery } from './api/content';
import css from './MenuGrid.module.css';

const PER_PAGE = 8;

function leadOf(entry: MenuEntry): Lead {
  if (entry.open_type === 'webView') return { path: PATHS.webView, query: { url: entry.url } };
  return entry.open_type === 'none' ? null : parseInternal(entry.url);
}

function pagesOf<T>(rows: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(rows.length / PER_PAGE) }, (_, page) =>
    rows.slice(page * PER_PAGE, (page + 1) * PER_PAGE),
  );
}

const PLACEHOLDERS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'] as const;

export function MenuGrid() {
  const { t, i18n } = useTranslation('home');
  const { data, isError, error, refetch } = useQuery(menuQuery);
  if (isError && !data) return <ErrorState compact error={error} onRetry={() => void refetch()} />;
  // The server names a text of ours; a name that we do not know shows as it is.
  const label = (title: string) => (i18n.exists(`home:menu.${title}`) ? i18n.t(`home:menu.${title}` as never) : title);
  if (!data) {
    return (
      <div className={`${css.grid} ${css.waiting}`}>
        {PLACEHOLDERS.map((id) => (
          <span key={id} className={css.entry}>
            <Skeleton width={42} height={42} className={css.blank} />
            <Skeleton width={44} height={10} />
          </span>
        ))}
      </div>
    );
  }
  return (
    <Swiper label={t('shortcuts')} className={css.menu}>
      {pagesOf(data).map((page) => (
        <ul key={page[0]?.id} className={css.grid}>
          {page.map((entry) => (
            <li key={entry.id}>
              <Entry to={leadOf(entry)} className={css.entry}>
                <MenuIcon name={entry.title} src={entry.icon} />
                <span className={css.label}>{label(entry.title)}</span>
              </Entry>
            </li>
          ))}
        </ul>
      ))}
    </Swiper>
  );
}

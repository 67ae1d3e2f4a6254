import { useQuery } from '@tanstack/react-query';
import { ChevronRight, Megaphone } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Skeleton, Swiper } from '@/components/ui';
import { isBuilt, PATHS } from '@/config/paths';
import type { NewsRow } from '@/lib/api/types';
import { navigateTo, parseInternal } from '@/lib/navigation';
import css from './Announcements.module.css';
import { newsQuery } from './api/content';

const TURN_MS = 4000;

/** News titles, one at a time. It stands still for readers who asked for less motion and while it has the focus. */
export function NewsTicker() {
  const { t } = useTranslation('home');
  const { data } = useQuery(newsQuery('news'));
  const [index, setIndex] = useState(0);
  const [held, setHeld] = useState(false);
  const count = data?.length ?? 0;

  useEffect(() => {
    if (count < 2 || held || window.matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    const timer = setInterval(() => setIndex((current) => (current + 1) % count), TURN_MS);
    return () => clearInterval(timer);
  }, [count, held]);

  const row = data?.[index % Math.max(count, 1)];
  return (
    <div className={css.news}>
      {row && (
        <button
          type="button"
          className={css.line}
          onFocus={() => setHeld(true)}
          onBlur={() => setHeld(false)}
          onClick={() => navigateTo(PATHS.article, { id: row.id })}
        >
          <Megaphone size={16} aria-hidden="true" />
          <span className="sr-only">{t('announcement')}</span>
          <span key={row.id} className={css.title}>
            {row.title}
          </span>
          <ChevronRight size={15} aria-hidden="true" />
        </button>
      )}
    </div>
  );
}

function open(row: NewsRow): void {
  const internal = parseInternal(row.url);
  if (internal && isBuilt(internal.path)) navigateTo(internal.path, internal.query);
  else if (row.url && !internal) navigateTo(PATHS.webView, { url: row.url, title: row.title });
  else navigateTo(PATHS.article, { id: row.id });
}

export function Banners() {
  const { t } = useTranslation('home');
  const { data, isPending } = useQuery(newsQuery('banner'));
  if (isPending) {
    return (
      <div className={css.waiting}>
        <Skeleton height={104} className={css.blank} />
      </div>
    );
  }
  if (!data?.length) return null;
  return (
    <Swiper label={t('banners')} className={css.banners}>
      {data.map((row) => (
        <div key={row.id} className={css.slide}>
          <button type="button" className={css.banner} onClick={() => open(row)}>
            {row.cover && <img src={row.cover} alt="" className={css.cover} />}
            <span className={css.words}>
              <b>{row.title}</b>
              {row.abstract && <span>{row.abstract}</span>}
            </span>
          </button>
        </div>
      ))}
    </Swiper>
  );
}

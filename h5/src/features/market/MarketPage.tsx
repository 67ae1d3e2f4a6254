import { ArrowDown, ArrowUp, ArrowUpDown, Plus } from 'lucide-react';
import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { useLiveQuotes } from '@/components/market/live';
import { MarketRow, marketRowProps } from '@/components/market/MarketRow';
import {
  Button,
  Empty,
  ErrorState,
  LiveBadge,
  PullRefresh,
  SearchBox,
  SkeletonRows,
  Tabs,
  useDocumentTitle,
} from '@/components/ui';
import { PATHS } from '@/config/paths';
import { useFavorites } from '@/lib/api/favorites';
import { useConnection } from '@/lib/market';
import { useAtom } from '@/lib/state';
import { FavoritesSheet } from './FavoritesSheet';
import { type Kind, listMarkets, nextSort, offer, ofKind, type Sort, type SortColumn } from './lists';
import css from './MarketPage.module.css';
import { categoryAtom, kindAtom, sortAtom, tabAtom } from './view';

export default function MarketPage() {
  const { t } = useTranslation('market');
  const [search, setSearch] = useState('');
  const [params] = useSearchParams();
  const box = useRef<HTMLDivElement>(null);
  useDocumentTitle(t('title'));

  useEffect(() => {
    if (params.get('focus') === 'search') box.current?.querySelector('input')?.focus();
  }, [params]);

  return (
    <>
      <header className={css.top}>
        <h1 className="sr-only">{t('title')}</h1>
        <div ref={box} className={css.search}>
          <SearchBox label={t('search')} value={search} onChange={setSearch} />
        </div>
        <Source />
      </header>
      <Markets search={search} />
    </>
  );
}

/** Where the figures come from, in the row that every list shares. */
function Source() {
  const { data } = useLiveQuotes();
  const { phase } = useConnection();
  const source = data?.[0]?.source;
  if (!source) return null;
  return <LiveBadge source={source} stale={phase === 'connecting'} />;
}

function Markets({ search }: { search: string }) {
  const { t } = useTranslation('market');
  const { t: c } = useTranslation();
  const [chosenKind, setKind] = useAtom(kindAtom);
  const [chosenTab, setTab] = useAtom(tabAtom);
  const [chosenCategory, setCategory] = useAtom(categoryAtom);
  const [sort, setSort] = useAtom(sortAtom);
  const [adding, setAdding] = useState(false);
  const words = useDeferredValue(search);
  const { rows: all, error, refetch } = useLiveQuotes();
  // Until the markets are known the choice keeps its place.
  const hasContracts = all === undefined || all.some(({ quote }) => quote.open_lever === 1);
  const kind = hasContracts ? chosenKind : 'spot';
  const rows = useMemo(() => all && ofKind(all, kind), [all, kind]);
  const path = kind === 'contract' ? PATHS.contract : undefined;
  const favorites = useFavorites();
  const { tabs, categories, tab, category, shown } = useMemo(() => {
    const filter = { tab: chosenTab, category: chosenCategory, search: words, sort, favorites: favorites.ids };
    const offered = offer(rows ?? [], filter);
    return { ...offered, shown: rows && listMarkets(rows, offered.filter), ...offered.filter };
  }, [rows, chosenTab, chosenCategory, words, sort, favorites.ids]);
  const waiting = !shown || (tab === 'favorites' && favorites.loading);
  const ownList = tab === 'favorites' && !words;

  return (
    <PullRefresh onRefresh={refetch}>
      {hasContracts && (
        <Tabs<Kind>
          look="segment"
          className={css.kinds}
          label={t('kinds')}
          controls="markets"
          items={(['spot', 'contract'] as const).map((value) => ({ value, label: c(`tradeMenu.${value}`) }))}
          value={kind}
          onChange={setKind}
        />
      )}
      <Tabs
        label={t('lists')}
        controls="markets"
        items={tabs.map((value) => ({ value, label: t(`tabs.${value}`) }))}
        value={tab}
        onChange={(next) => {
          setTab(next);
          setSort(null);
        }}
      />
      {categories.length > 1 && (
        <Tabs
          look="pill"
          label={t('categories')}
          controls="markets"
          items={categories.map((value) => ({ value, label: t(`category.${value}`) }))}
          value={category}
          onChange={setCategory}
        />
      )}
      <SortHeader sort={sort} onSort={(column) => setSort(nextSort(sort, column))} />
      {error && <ErrorState compact={rows !== undefined} error={error} onRetry={() => void refetch()} />}
      <div id="markets" role="tabpanel" aria-label={t(`tabs.${tab}`)}>
        {waiting && !error && <SkeletonRows rows={8} />}
        {!waiting && ownList && favorites.error && (
          <ErrorState error={favorites.error} onRetry={() => void favorites.refetch()} />
        )}
        {!waiting &&
          shown?.length === 0 &&
          !(ownList && favorites.error) &&
          (ownList ? (
            <Empty
              title={t('noFavorites')}
              note={t('noFavoritesNote')}
              action={{ label: t('addFavorites'), onClick: () => setAdding(true) }}
            />
          ) : (
            <Empty title={words ? t('nothingFound', { words }) : t('emptyList')} />
          ))}
        {!waiting && shown?.map((row) => <MarketRow key={row.quote.symbol} {...marketRowProps(row, path)} />)}
        {ownList && shown && shown.length > 0 && (
          <Button tone="ghost" block icon={<Plus size={16} />} onClick={() => setAdding(true)}>
            {t('editFavorites')}
          </Button>
        )}
      </div>
      <FavoritesSheet open={adding} onClose={() => setAdding(false)} />
    </PullRefresh>
  );
}

function SortHeader({ sort, onSort }: { sort: Sort | null; onSort(column: SortColumn): void }) {
  const { t } = useTranslation('market');
  const column = (name: SortColumn) => {
    const order = sort?.column === name ? sort.order : null;
    const Icon = order === 'up' ? ArrowUp : order === 'down' ? ArrowDown : ArrowUpDown;
    return (
      <button
        type="button"
        className={css.column}
        data-active={order !== null || undefined}
        aria-label={`${t(`columns.${name}`)}, ${t(`order.${order ?? 'none'}`)}`}
        onClick={() => onSort(name)}
      >
        {t(`columns.${name}`)}
        <Icon size={11} aria-hidden="true" />
      </button>
    );
  };
  return (
    <div className={css.columns}>
      <span className={css.left}>
        {column('name')}
        <i aria-hidden="true">/</i>
        {column('turnover')}
      </span>
      {column('price')}
      <span className={css.last}>{column('change')}</span>
    </div>
  );
}

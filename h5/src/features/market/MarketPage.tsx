import { ArrowDown, ArrowUp, ArrowUpDown, Plus } from 'lucide-react';
import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { type LiveQuote, useLiveQuotes } from '@/components/market/live';
import { MarketRow, marketRowProps } from '@/components/market/MarketRow';
import { SessionBadge } from '@/components/market/SessionBadge';
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
import { useAtom, useSetAtom } from '@/lib/state';
import { hoursOf } from '@/lib/stocks';
import { FavoritesSheet } from './FavoritesSheet';
import {
  isOfKind,
  KINDS,
  type Kind,
  listMarkets,
  nextSort,
  offer,
  ofKind,
  type Sort,
  type SortColumn,
  VENUES,
  type Venue,
} from './lists';
import css from './MarketPage.module.css';
import { categoryAtom, kindAtom, sortAtom, tabAtom, venueAtom } from './view';

export default function MarketPage() {
  const { t } = useTranslation('market');
  const [search, setSearch] = useState('');
  const [params, setParams] = useSearchParams();
  const box = useRef<HTMLDivElement>(null);
  useDocumentTitle(t('title'));

  const setKind = useSetAtom(kindAtom);

  useEffect(() => {
    if (params.get('focus') === 'search') box.current?.querySelector('input')?.focus();
    const named = KINDS.find((kind) => kind === params.get('kind'));
    if (!named) return;
    setKind(named);
    // Whoever comes back to this page finds the kind that was chosen last.
    setParams({}, { replace: true });
  }, [params, setParams, setKind]);

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
  const [chosenVenue, setVenue] = useAtom(venueAtom);
  const [chosenTab, setTab] = useAtom(tabAtom);
  const [chosenCategory, setCategory] = useAtom(categoryAtom);
  const [sort, setSort] = useAtom(sortAtom);
  const [adding, setAdding] = useState(false);
  const words = useDeferredValue(search);
  const { rows: all, error, refetch } = useLiveQuotes();
  // Until the markets are known the choice keeps its place.
  const kinds = KINDS.filter((kind) => kind === 'spot' || !all || all.some(({ quote }) => isOfKind(quote, kind)));
  const kind = kinds.includes(chosenKind) ? chosenKind : 'spot';
  const venues = VENUES.filter((venue) => !all || all.some(({ quote }) => isOfKind(quote, 'stock', venue)));
  const venue = venues.includes(chosenVenue) ? chosenVenue : venues[0];
  const rows = useMemo(() => all && ofKind(all, kind, venue), [all, kind, venue]);
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
      {kinds.length > 1 && (
        <Tabs<Kind>
          look="segment"
          className={css.kinds}
          label={t('kinds')}
          controls="markets"
          items={kinds.map((value) => ({ value, label: c(`tradeMenu.${value}`) }))}
          value={kind}
          onChange={setKind}
        />
      )}
      {kind === 'stock' && venue && <Venues venues={venues} value={venue} onChange={setVenue} rows={all ?? []} />}
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
      <SortHeader sort={sort} ofDay={kind === 'stock'} onSort={(column) => setSort(nextSort(sort, column))} />
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
      <FavoritesSheet offers={(quote) => isOfKind(quote, kind, venue)} open={adding} onClose={() => setAdding(false)} />
    </PullRefresh>
  );
}

interface VenuesProps {
  venues: readonly Venue[];
  value: Venue;
  onChange(venue: Venue): void;
  rows: readonly LiveQuote[];
}

/** Where stocks are listed, and whether they are traded there now. */
function Venues({ venues, value, onChange, rows }: VenuesProps) {
  const { t } = useTranslation('stock');
  // A halt is of one stock alone.
  const session = (venue: Venue) => rows.find(({ quote }) => quote.kind === venue && hoursOf(quote) !== 'halt');
  return (
    <Tabs
      look="pill"
      label={t('venues')}
      controls="markets"
      items={venues.map((venue) => {
        const quote = session(venue)?.quote;
        const hours = quote && hoursOf(quote);
        return {
          value: venue,
          label: (
            <>
              {t(`list.${venue}`)} {hours && <SessionBadge hours={hours} />}
            </>
          ),
        };
      })}
      value={value}
      onChange={onChange}
    />
  );
}

interface SortHeaderProps {
  sort: Sort | null;
  /** Changes are those of trading days, not of 24 hours. */
  ofDay: boolean;
  onSort(column: SortColumn): void;
}

function SortHeader({ sort, ofDay, onSort }: SortHeaderProps) {
  const { t } = useTranslation('market');
  const column = (name: SortColumn) => {
    const label = t(`columns.${name === 'change' && ofDay ? 'dayChange' : name}`);
    const order = sort?.column === name ? sort.order : null;
    const Icon = order === 'up' ? ArrowUp : order === 'down' ? ArrowDown : ArrowUpDown;
    return (
      <button
        type="button"
        className={css.column}
        data-active={order !== null || undefined}
        aria-label={`${label}, ${t(`order.${order ?? 'none'}`)}`}
        onClick={() => onSort(name)}
      >
        {label}
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

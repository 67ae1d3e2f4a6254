/** Which markets a tab, a category and a search show, and in what order. Pure: tested as a table. */
import { type LiveQuote, usdtTurnover } from '@/components/market/live';
import type { Quote } from '@/lib/api/types';
import { isStock } from '@/lib/stocks';

/** What a list of markets is for. */
export const KINDS = ['spot', 'contract', 'stock'] as const;
export type Kind = (typeof KINDS)[number];

/** Where stocks are listed. */
export const VENUES = ['stock_us', 'stock_hk'] as const;
export type Venue = (typeof VENUES)[number];

/** Whether a market is of a product. Stocks have lists of their own, one for each venue. */
export function isOfKind(quote: Quote, kind: Kind, venue?: Venue): boolean {
  if (kind === 'contract') return quote.open_lever === 1;
  if (quote.open_coin_trade !== 1) return false;
  return kind === 'stock' ? isStock(quote) && (venue === undefined || quote.kind === venue) : !isStock(quote);
}

/** The markets in which a product is traded. */
export const ofKind = (rows: readonly LiveQuote[], kind: Kind, venue?: Venue): LiveQuote[] =>
  rows.filter(({ quote }) => isOfKind(quote, kind, venue));

export const MARKET_TABS = ['favorites', 'all', 'main', 'hot', 'gainers', 'new', 'turnover'] as const;
export type MarketTab = (typeof MARKET_TABS)[number];

export const CATEGORIES = ['all', 'top', 'hk', 'fan', 'nft', 'metaverse', 'stablecoin'] as const;
export type Category = (typeof CATEGORIES)[number];

export type SortColumn = 'name' | 'turnover' | 'price' | 'change';
export type SortOrder = 'up' | 'down';
export interface Sort {
  column: SortColumn;
  order: SortOrder;
}

export interface Filter {
  tab: MarketTab;
  category: Category;
  search: string;
  sort: Sort | null;
  /** Favourite markets' ids. */
  favorites: ReadonlySet<number>;
}

/** A column's header: none -> up -> down -> none. */
export function nextSort(sort: Sort | null, column: SortColumn): Sort | null {
  if (sort?.column !== column) return { column, order: 'up' };
  return sort.order === 'up' ? { column, order: 'down' } : null;
}

const byNumber = (of: (row: LiveQuote) => string | number) => (a: LiveQuote, b: LiveQuote) =>
  Number(of(a)) - Number(of(b));

const COLUMNS: Record<SortColumn, (a: LiveQuote, b: LiveQuote) => number> = {
  name: (a, b) => a.quote.currency_name.localeCompare(b.quote.currency_name),
  turnover: byNumber(usdtTurnover),
  price: byNumber((row) => row.price),
  change: byNumber((row) => row.change),
};

const tagged = (row: LiveQuote, tag: string): boolean => row.quote.tags?.includes(tag) ?? false;

function ofTab(rows: readonly LiveQuote[], filter: Filter): LiveQuote[] {
  switch (filter.tab) {
    case 'favorites':
      return rows.filter((row) => filter.favorites.has(row.quote.id));
    case 'all':
      return [...rows];
    case 'main':
    case 'hot':
    case 'new':
      return rows.filter((row) => tagged(row, filter.tab));
    case 'gainers':
      return [...rows].sort((a, b) => COLUMNS.change(b, a));
    case 'turnover':
      return [...rows].sort((a, b) => COLUMNS.turnover(b, a));
  }
}

export interface Offer {
  tabs: readonly MarketTab[];
  /** Of the tab that shows. */
  categories: readonly Category[];
  /** With the whole list in place of a tab or category that has no market, any more or yet. */
  filter: Filter;
}

/** What can be chosen: nothing that would show an empty list, but for one's own favourites, which begin empty. */
export function offer(rows: readonly LiveQuote[], chosen: Filter): Offer {
  const tabs = MARKET_TABS.filter(
    (tab) => tab === 'favorites' || tab === 'all' || ofTab(rows, { ...chosen, tab }).length > 0,
  );
  const tab = tabs.includes(chosen.tab) ? chosen.tab : 'all';
  const listed = ofTab(rows, { ...chosen, tab });
  const categories = CATEGORIES.filter((category) => category === 'all' || listed.some((row) => tagged(row, category)));
  const category = categories.includes(chosen.category) ? chosen.category : 'all';
  return { tabs, categories, filter: { ...chosen, tab, category } };
}

export function listMarkets(rows: readonly LiveQuote[], filter: Filter): LiveQuote[] {
  const words = filter.search.trim().toLowerCase();
  // A search looks through everything: whoever types a name does not care about the tab.
  let shown = words
    ? rows.filter(({ quote }) => `${quote.symbol} ${quote.title}`.toLowerCase().includes(words))
    : ofTab(rows, filter).filter((row) => filter.category === 'all' || tagged(row, filter.category));
  if (filter.sort) {
    const { column, order } = filter.sort;
    const compare = COLUMNS[column];
    shown = [...shown].sort(order === 'up' ? compare : (a, b) => compare(b, a));
  }
  return shown;
}

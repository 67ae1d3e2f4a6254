import { useQuery } from '@tanstack/react-query';
import { memo, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type LiveQuote, usdtTurnover, useLiveQuotes } from '@/components/market/live';
import { MarketRow, marketRowProps } from '@/components/market/MarketRow';
import { type MarketNames, openMarket } from '@/components/market/openMarket';
import { Sparkline } from '@/components/market/Sparkline';
import { Button, Change, CoinIcon, Empty, ErrorState, Price, Skeleton, SkeletonRows, Tabs } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { switchTab } from '@/lib/navigation';
import { isStock } from '@/lib/stocks';
import { dayQuery } from './api/day';
import css from './HotMarkets.module.css';

const CARDS = 3;
const ROWS = 6;

const byTurnover = (rows: readonly LiveQuote[]): LiveQuote[] =>
  [...rows].sort((a, b) => usdtTurnover(b) - usdtTurnover(a));

/** Stocks stand still most of the day: they are not compared with coins. */
function useCoins() {
  const query = useLiveQuotes();
  const { rows } = query;
  return { ...query, rows: useMemo(() => rows?.filter(({ quote }) => !isStock(quote)), [rows]) };
}

const hot = (rows: readonly LiveQuote[]): LiveQuote[] => {
  const tagged = rows.filter((row) => row.quote.tags?.includes('hot'));
  return tagged.length >= CARDS ? tagged : byTurnover(rows);
};

interface CardProps extends MarketNames {
  symbol: string;
  logo: string;
  price: string | number;
  places: number;
  change: string | number;
}

const Card = memo(function Card(props: CardProps) {
  const { data } = useQuery(dayQuery(props.symbol));
  const price = Number(props.price);
  // It ends at the price that is shown.
  const values = useMemo(() => (data ? [...data, price] : []), [data, price]);
  return (
    <li>
      <button type="button" className={css.card} onClick={() => openMarket(props)}>
        <span className={css.cardHead}>
          <CoinIcon name={props.base} logo={props.logo} size={20} />
          <b>{props.base}</b>
          <Change percent={props.change} className={css.cardChange} />
        </span>
        <Price value={props.price} places={props.places} className={css.cardPrice} />
        <Sparkline values={values} width={112} height={30} />
      </button>
    </li>
  );
});

export function HotMarkets() {
  const { t } = useTranslation('home');
  const { rows, isError } = useCoins();
  if (isError && !rows) return null;
  return (
    <section aria-label={t('hot')}>
      <ul className={css.cards}>
        {rows
          ? hot(rows)
              .slice(0, CARDS)
              .map(({ quote, price, change }) => (
                <Card
                  key={quote.symbol}
                  symbol={quote.symbol}
                  base={quote.currency_name}
                  quote={quote.legal_name}
                  baseId={quote.currency_id}
                  quoteId={quote.legal_id}
                  logo={quote.logo}
                  price={price}
                  places={quote.precision_length}
                  change={change}
                />
              ))
          : ['a', 'b', 'c'].map((id) => (
              <li key={id} className={css.card}>
                <Skeleton width={60} />
                <Skeleton width={84} height={18} />
                <Skeleton height={30} />
              </li>
            ))}
      </ul>
    </section>
  );
}

type ListKind = 'hot' | 'gainers' | 'volume';

const ORDERS: Record<ListKind, (rows: readonly LiveQuote[]) => LiveQuote[]> = {
  hot,
  gainers: (rows) => [...rows].sort((a, b) => Number(b.change) - Number(a.change)),
  volume: byTurnover,
};

export function MarketLists() {
  const { t } = useTranslation('home');
  const [kind, setKind] = useState<ListKind>('hot');
  const { rows, error, refetch } = useCoins();
  const shown = useMemo(() => rows && ORDERS[kind](rows).slice(0, ROWS), [rows, kind]);
  return (
    <section aria-label={t('markets')} className={css.lists}>
      <Tabs
        label={t('markets')}
        controls="home-markets"
        items={(['hot', 'gainers', 'volume'] as const).map((value) => ({ value, label: t(`lists.${value}`) }))}
        value={kind}
        onChange={setKind}
      />
      {error && <ErrorState compact={rows !== undefined} error={error} onRetry={() => void refetch()} />}
      <div id="home-markets" role="tabpanel" aria-label={t(`lists.${kind}`)}>
        {!shown && !error && <SkeletonRows rows={ROWS} />}
        {shown?.length === 0 && <Empty title={t('noMarkets')} />}
        {shown?.map((row) => (
          <MarketRow key={row.quote.symbol} {...marketRowProps(row)} />
        ))}
      </div>
      {shown && shown.length > 0 && (
        <Button tone="ghost" block onClick={() => switchTab(PATHS.market)}>
          {t('allMarkets')}
        </Button>
      )}
    </section>
  );
}

/** Spot trading (docs/rules/app-calls.md "Spot orders"). State of the ticket, the book and the lists stays with them. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { Empty, ErrorState, NavBar, Skeleton } from '@/components/ui';
import { useQuotes } from '@/lib/api/quotes';
import type { Quote } from '@/lib/api/types';
import { topicKey } from '@/lib/market';
import { useScreen } from '@/lib/screen';
import { lastPairAtom, tradeKindAtom, useAtom, useSetAtom } from '@/lib/state';
import {
  BookPanel,
  Chart,
  chartShownAtom,
  findQuote,
  groupings,
  MarketStats,
  PairHeader,
  Panes,
  pairRules,
  rulesKey,
  type TicketHandle,
  TradesPanel,
} from '@/trading';
import css from './CurrencyPage.module.css';
import { OrdersPanel } from './OrdersPanel';
import { SpotTicket } from './SpotTicket';

const BOOK_DEPTH = 10;

const offers = (row: Quote): boolean => row.open_coin_trade === 1;

export default function CurrencyPage() {
  const { t } = useTranslation('trade');
  const [query, setQuery] = useSearchParams();
  const quotes = useQuotes();
  const [lastPair, setLastPair] = useAtom(lastPairAtom);
  const setTradeKind = useSetAtom(tradeKindAtom);
  const quote = useMemo(() => findQuote(quotes.data, query, lastPair, offers), [quotes.data, query, lastPair]);
  const choose = useCallback((next: Quote) => setQuery({ symbol: next.symbol }, { replace: true }), [setQuery]);

  const symbol = quote?.symbol;
  useEffect(() => {
    if (!symbol) return;
    setTradeKind('currency');
    setLastPair(symbol);
  }, [symbol, setTradeKind, setLastPair]);

  if (!quote) {
    const first = quotes.data?.find(offers);
    if (quotes.data) return <Missing onFirst={first && (() => choose(first))} />;
    if (!quotes.error) return <PageSkeleton />;
    return (
      <>
        <NavBar noBack title={t('title')} />
        <ErrorState error={quotes.error} onRetry={() => void quotes.refetch()} />
      </>
    );
  }
  return <Trading key={quote.symbol} quote={quote} onChoose={choose} />;
}

function Missing({ onFirst }: { onFirst: (() => void) | undefined }) {
  const { t } = useTranslation('trade');
  return (
    <>
      <NavBar noBack title={t('title')} />
      <Empty
        title={t('pair.unknown')}
        {...(onFirst ? { action: { label: t('history.trade'), onClick: onFirst } } : {})}
      />
    </>
  );
}

function Trading({ quote, onChoose }: { quote: Quote; onChoose(quote: Quote): void }) {
  const { t } = useTranslation('trade');
  const [chart, setChart] = useAtom(chartShownAtom);
  const ticket = useRef<TicketHandle>(null);
  // The row is polled for its state; the rules change only when their own fields do.
  const fees = { maker: quote.coin_trade_fee_maker, taker: quote.coin_trade_fee_taker };
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above.
  const rules = useMemo(() => pairRules(quote, fees), [rulesKey(quote, fees)]);
  const tick = rules.tick.toNumber();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the offer follows the pair, not every price.
  const offered = useMemo(() => groupings(tick, Number(quote.now_price)), [tick]);
  const [grouping, setGrouping] = useState(tick);
  const onLevel = useCallback((price: number, size: number) => ticket.current?.level(price, size), []);
  const screen = useScreen();
  const roomy = screen !== 'phone';
  return (
    <Panes
      head={
        <>
          <PairHeader
            title={t('title')}
            offers={offers}
            quote={quote}
            onChoose={onChoose}
            {...(roomy ? {} : { chart, onChart: () => setChart(!chart) })}
          />
          <MarketStats quote={quote} places={rules.priceDecimals} full={screen === 'desk'} />
        </>
      }
      panes={[
        {
          place: 'chart',
          part: (chart || roomy) && <Chart symbol={quote.symbol} tick={tick} places={rules.priceDecimals} />,
        },
        {
          place: 'ticket',
          part: (
            <SpotTicket
              rules={rules}
              marketStatus={quote.market_status}
              bookKey={topicKey.book(quote.symbol, BOOK_DEPTH, grouping)}
              handle={ticket}
            />
          ),
        },
        {
          place: 'book',
          title: t('book.title'),
          part: (
            <BookPanel
              symbol={quote.symbol}
              base={quote.currency_name}
              quote={quote.legal_name}
              grouping={grouping}
              groupings={offered}
              amountDecimals={rules.amountDecimals}
              priceDecimals={rules.priceDecimals}
              roomy={roomy}
              onGrouping={setGrouping}
              onLevel={onLevel}
            />
          ),
        },
        {
          place: 'trades',
          title: t('trades.title'),
          // On a phone they are a tab among the orders.
          part: roomy && (
            <TradesPanel
              symbol={quote.symbol}
              priceDecimals={rules.priceDecimals}
              amountDecimals={rules.amountDecimals}
            />
          ),
        },
        { place: 'orders', part: <OrdersPanel rules={rules} trades={!roomy} /> },
      ]}
    />
  );
}

function PageSkeleton() {
  const { t } = useTranslation(['common', 'trade']);
  const bars = (count: number, height: number) => (
    <div className={css.skeleton}>
      {Array.from({ length: count }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no identity.
        <Skeleton key={index} height={height} />
      ))}
    </div>
  );
  return (
    <div role="status" aria-label={t('common:loading')} className={css.waiting}>
      <Panes
        head={<NavBar noBack title={t('trade:title')} />}
        panes={[
          { place: 'chart', part: useScreen() !== 'phone' && <Skeleton className={css.chart} /> },
          { place: 'ticket', part: bars(8, 44) },
          { place: 'book', part: bars(8, 36) },
        ]}
      />
    </div>
  );
}

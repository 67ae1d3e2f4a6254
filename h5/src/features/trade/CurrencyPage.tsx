/** Spot trading (docs/rules/app-calls.md "Spot orders"). State of the ticket, the book and the lists stays with them. */
import { useCallback, useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Empty, ErrorState, NavBar, Skeleton } from '@/components/ui';
import type { Quote } from '@/lib/api/types';
import { topicKey } from '@/lib/market';
import { useScreen } from '@/lib/screen';
import { useAtom } from '@/lib/state';
import {
  bookUnit,
  Chart,
  chartShownAtom,
  MarketStats,
  PairHeader,
  Panes,
  pairRules,
  rulesKey,
  type TicketHandle,
  useBookPanes,
  useShownPair,
} from '@/trading';
import css from './CurrencyPage.module.css';
import { OrdersPanel } from './OrdersPanel';
import { SpotTicket } from './SpotTicket';
import { SessionStrip } from './stock/SessionStrip';
import { useStockActions } from './stock/useStockActions';

const BOOK_DEPTH = 10;

const offers = (row: Quote): boolean => row.open_coin_trade === 1;

export default function CurrencyPage() {
  const { t } = useTranslation('trade');
  const { quote, quotes, setQuery, first } = useShownPair('currency', offers);
  const choose = useCallback((next: Quote) => setQuery({ symbol: next.symbol }, { replace: true }), [setQuery]);

  if (!quote) {
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
  const onLevel = useCallback((price: number, size: number) => ticket.current?.level(price, size), []);
  const { currency_name: base, legal_name, symbol } = quote;
  const { priceDecimals, amountDecimals } = rules;
  const names = { symbol, base, quote: legal_name };
  const price = Number(quote.now_price);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the unit follows the pair, not every price.
  const unit = useMemo(() => bookUnit(rules, price), [rules]);
  const book = useBookPanes({
    ...names,
    tick: unit,
    price,
    rate: quote.usdt_rate,
    priceDecimals,
    amountDecimals,
    onLevel,
  });
  useStockActions();
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
          <SessionStrip quote={quote} />
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
              session={quote.session}
              queues={quote.queues}
              usdtRate={quote.usdt_rate}
              bookKey={topicKey.book(quote.symbol, BOOK_DEPTH, book.grouping)}
              handle={ticket}
            />
          ),
        },
        ...book.panes,
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

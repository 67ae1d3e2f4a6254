/** Trading with leverage: against the house (docs/rules/contracts.md "Tickets"), or in the contract's own book. */
import { useCallback, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Empty, ErrorState, NavBar, OfflineState, Skeleton, SkeletonRows, Tabs } from '@/components/ui';
import type { Quote } from '@/lib/api/types';
import { useOnline } from '@/lib/online';
import { useScreen } from '@/lib/screen';
import { useAtom } from '@/lib/state';
import { Chart, chartShownAtom, PairHeader, Panes, useCopyEvents, useShownPair } from '@/trading';
import { useDeal } from './api/deal';
import { useTickets } from './api/tickets';
import css from './ContractPage.module.css';
import { ContractStats } from './ContractStats';
import { ContractTicket } from './ContractTicket';
import { type LineName, positionLines } from './lines';
import pro from './pro/Pro.module.css';
import { ProPanes } from './pro/ProPanes';
import { TicketsPanel } from './TicketsPanel';
import { useEndedToasts } from './useEndedToasts';

const offers = (row: Quote): boolean => row.open_lever === 1;

export default function ContractPage() {
  const { t } = useTranslation('contract');
  const { quote, quotes, query, setQuery, first } = useShownPair('contract', offers);
  const view: View = query.get('view') === 'pro' ? 'pro' : 'simple';
  const show = useCallback(
    (symbol: string, wanted: View) =>
      setQuery({ symbol, ...(wanted === 'pro' && { view: wanted }) }, { replace: true }),
    [setQuery],
  );
  const choose = useCallback((next: Quote) => show(next.symbol, view), [show, view]);

  if (quote) {
    const props = { quote, view, onChoose: choose, onView: (wanted: View) => show(quote.symbol, wanted) };
    return view === 'pro' ? <Pro key={quote.symbol} {...props} /> : <Trading key={quote.symbol} {...props} />;
  }
  return (
    <>
      <NavBar noBack title={t('title')} />
      {quotes.data ? (
        <Empty
          title={t('unknown')}
          {...(first ? { action: { label: t('toTrade'), onClick: () => choose(first) } } : {})}
        />
      ) : quotes.error ? (
        <ErrorState error={quotes.error} onRetry={() => void quotes.refetch()} />
      ) : (
        <SkeletonRows rows={8} icon={false} />
      )}
    </>
  );
}

/** Against the house, or in the contract's own book. */
type View = 'simple' | 'pro';

interface ViewProps {
  quote: Quote;
  view: View;
  onChoose(quote: Quote): void;
  onView(view: View): void;
}

/** The pair, and how it is traded. */
function Head({ quote, view, onChoose, onView }: ViewProps) {
  const { t } = useTranslation('contract');
  const [chart, setChart] = useAtom(chartShownAtom);
  const roomy = useScreen() !== 'phone';
  return (
    <>
      <PairHeader
        title={t('title')}
        offers={offers}
        quote={quote}
        onChoose={onChoose}
        {...(roomy ? {} : { chart, onChart: () => setChart(!chart) })}
      />
      <Tabs<View>
        look="segment"
        label={t('pro.which')}
        className={pro.which}
        value={view}
        onChange={onView}
        items={(['simple', 'pro'] as const).map((value) => ({ value, label: t(`pro.${value}`) }))}
      />
    </>
  );
}

function Pro(props: ViewProps) {
  const [chart] = useAtom(chartShownAtom);
  return <ProPanes quote={props.quote} head={<Head {...props} />} chart={chart} />;
}

function Trading(props: ViewProps) {
  const { quote } = props;
  const [chart] = useAtom(chartShownAtom);
  const roomy = useScreen() !== 'phone';
  const { rules, available, error, retry } = useDeal(quote);
  const tickets = useTickets();
  useEndedToasts();
  useCopyEvents();

  const lines = useLines(tickets.open, quote.symbol);
  const places = rules?.priceDecimals ?? quote.precision_length;
  return (
    <Panes
      head={
        <>
          <Head {...props} />
          {rules ? <ContractStats quote={quote} rules={rules} /> : <div className={css.stats} />}
        </>
      }
      panes={[
        {
          place: 'chart',
          part: (chart || roomy) && (
            <Chart symbol={quote.symbol} tick={Number(quote.tick)} places={places} lines={lines} />
          ),
        },
        {
          place: 'ticket',
          part: rules ? (
            <ContractTicket
              rules={rules}
              available={available}
              open={tickets.open}
              waiting={tickets.waiting}
              onOpened={tickets.retry}
            />
          ) : error ? (
            <ErrorState error={error} onRetry={retry} />
          ) : (
            <FormSkeleton />
          ),
        },
        { place: 'orders', part: rules && <TicketsPanel rules={rules} tickets={tickets} /> },
      ]}
    />
  );
}

/** The same list as long as no price of it changes: the chart is told only then. */
function useLines(open: Parameters<typeof positionLines>[0], symbol: string) {
  const { t } = useTranslation('contract');
  const lines = positionLines(open, symbol, (line: LineName) => t(`line.${line}`));
  const key = JSON.stringify(lines);
  // biome-ignore lint/correctness/useExhaustiveDependencies: by what the lines say.
  return useMemo(() => lines, [key]);
}

const ROWS = [44, 44, 92, 56, 32, 44, 90, 46] as const;

function FormSkeleton() {
  const { t } = useTranslation();
  const online = useOnline();
  if (!online) return <OfflineState />;
  return (
    <div role="status" aria-label={t('loading')} className={css.skeleton}>
      {ROWS.map((height, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no identity.
        <Skeleton key={index} height={height} />
      ))}
    </div>
  );
}

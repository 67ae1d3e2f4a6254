/** A contract's own order book: chart, form, book, trades, and own positions and orders. */
import { useCallback, useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorState, Skeleton } from '@/components/ui';
import type { Quote } from '@/lib/api/types';
import { bookSymbol, useContract } from '@/lib/market';
import { useScreen } from '@/lib/screen';
import { Chart, Panes, type PriceLine, useBookPanes } from '@/trading';
import { type BookRules, useBookRules, useFreshBook, useOrders, usePositions } from '../api/book';
import css from '../ContractPage.module.css';
import { bookLines, type ProLine } from './lines';
import { ProPanel } from './ProPanel';
import { ProStats } from './ProStats';
import { type ProHandle, ProTicket } from './ProTicket';
import { useNotices } from './useNotices';

interface Props {
  quote: Quote;
  /** The pair and how it is traded. */
  head: React.ReactNode;
  chart: boolean;
}

export function ProPanes({ quote, head, chart }: Props) {
  const { t } = useTranslation();
  const { rules, error, retry } = useBookRules(quote);
  useFreshBook();
  useNotices();
  if (rules) return <Book quote={quote} rules={rules} head={head} chart={chart} />;
  return (
    <Panes
      head={head}
      panes={[
        {
          place: 'ticket',
          part: error ? (
            <ErrorState error={error} onRetry={retry} />
          ) : (
            <div role="status" aria-label={t('loading')} className={css.skeleton}>
              <Skeleton height={320} />
            </div>
          ),
        },
      ]}
    />
  );
}

function Book({ quote, rules, head, chart }: Props & { rules: BookRules }) {
  const symbol = bookSymbol(quote.symbol);
  const held = usePositions();
  const orders = useOrders(quote);
  const ticket = useRef<ProHandle>(null);
  const roomy = useScreen() !== 'phone';
  const tick = rules.tick.toNumber();
  const onLevel = useCallback((price: number) => ticket.current?.level(price), []);
  const { base, settle, priceDecimals, amountDecimals } = rules;
  const last = rules.last === null ? undefined : Number(rules.last);
  const price = Number(quote.now_price);
  const names = { symbol, base, quote: settle };
  const book = useBookPanes({ ...names, tick, price, priceDecimals, amountDecimals, last, onLevel });
  const own = held.positions.filter((position) => position.symbol === quote.symbol);
  const lines = useLines(quote.symbol, own, orders.data ?? []);
  const balance = held.balances.find(({ currency_id }) => currency_id === rules.legalId);
  return (
    <Panes
      head={
        <>
          {head}
          <ProStats quote={quote} rules={rules} />
        </>
      }
      panes={[
        {
          place: 'chart',
          part: (chart || roomy) && <Chart symbol={symbol} tick={tick} places={rules.priceDecimals} lines={lines} />,
        },
        {
          place: 'ticket',
          part: (
            <ProTicket
              rules={rules}
              available={balance?.available}
              traded={own.length > 0 || (orders.data?.length ?? 0) > 0}
              handle={ticket}
            />
          ),
        },
        ...book.panes,
        {
          place: 'orders',
          part: (
            <ProPanel
              pair={quote}
              rules={rules}
              positions={held.positions}
              balances={held.balances}
              orders={orders.data ?? []}
              trades={!roomy}
            />
          ),
        },
      ]}
    />
  );
}

/** The same list as long as no price of it changes: the chart is told only then. */
function useLines(pair: string, ...[own, orders]: Parameters<typeof bookLines>): PriceLine[] {
  const { t } = useTranslation('contract');
  const face = useContract(pair);
  const name = (line: ProLine) => t(`pro.line.${line}`);
  const lines = bookLines(own, orders).map((line) => ({ ...line, title: name(line.line) }));
  for (const line of ['mark', 'index'] as const) {
    const price = Number(face?.[line] ?? 0);
    if (price > 0) {
      lines.push({ key: line, line, price, title: name(line), tone: 'base' });
    }
  }
  const key = JSON.stringify(lines);
  // biome-ignore lint/correctness/useExhaustiveDependencies: by what the lines say.
  return useMemo(() => lines.map(({ line, ...drawn }) => drawn), [key]);
}

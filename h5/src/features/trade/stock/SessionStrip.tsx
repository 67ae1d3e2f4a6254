import { useQueryClient } from '@tanstack/react-query';
import { ChevronRight } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { SessionBadge } from '@/components/market/SessionBadge';
import { quotesQuery } from '@/lib/api/quotes';
import type { Quote } from '@/lib/api/types';
import { useMarketStatus, useServerNow } from '@/lib/market';
import { type Hours, hoursOf, type Session, turnMs } from '@/lib/stocks';
import { clockText, whenText } from '@/lib/times';
import css from './SessionStrip.module.css';
import { StockSheet } from './StockSheet';

const SECOND_MS = 1_000;
const HOUR_MS = 3_600 * SECOND_MS;

/** The company, and whether its stock is traded now; opens what there is to know of both. */
export function SessionStrip({ quote }: { quote: Quote }) {
  const { t } = useTranslation('stock');
  const [open, setOpen] = useState(false);
  const hours = hoursOf(quote);
  useFreshRow(quote);
  if (!quote.session || !hours) return null;
  return (
    <>
      <button type="button" className={css.strip} aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <span className={css.name}>{quote.title}</span>
        <span className={css.state}>
          <SessionBadge hours={hours} />
          <Turn hours={hours} session={quote.session} />
        </span>
        <ChevronRight size={14} className={css.arrow} aria-hidden="true" />
        <span className="sr-only">{t('turn.show')}</span>
      </button>
      <StockSheet quote={quote} open={open} onClose={() => setOpen(false)} />
    </>
  );
}

/** A halt comes unannounced, and the stream tells it first: the row that says what it is is asked for at once. */
function useFreshRow({ symbol, market_status }: Quote): void {
  const client = useQueryClient();
  const phase = useMarketStatus(symbol)?.phase;
  const differs = phase !== undefined && (phase === 'TRADING') !== (market_status === 'open');
  useEffect(() => {
    if (differs) void client.invalidateQueries({ queryKey: quotesQuery.queryKey });
  }, [client, differs]);
}

/** When that changes, in the reader's own time; within an hour how long it still takes. */
export function Turn({ hours, session }: { hours: Hours; session: Session }) {
  const { t } = useTranslation('stock');
  const nowMs = useServerNow(SECOND_MS);
  const atMs = turnMs(hours, session);
  if (atMs === undefined) return null;
  const leftMs = atMs - nowMs;
  return (
    <span className={css.turn}>
      {t(hours === 'open' ? 'turn.until' : 'turn.opens', { time: whenText(atMs, nowMs) })}
      {leftMs > 0 && leftMs < HOUR_MS && (
        <span className={`num ${css.left}`} data-left>
          {clockText(leftMs)}
        </span>
      )}
    </span>
  );
}

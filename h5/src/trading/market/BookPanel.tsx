import clsx from 'clsx';
import { type KeyboardEvent, type MouseEvent, memo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { OfflineState, Select, Skeleton } from '@/components/ui';
import { quickPrice, quickSize } from '@/lib/format';
import { type BookLevel, countRender, useBook } from '@/lib/market';
import { useOnline } from '@/lib/online';
import css from './BookPanel.module.css';
import { placesOf } from './figures';
import { LastPrice } from './LastPrice';

const DEPTH = 10;
const SLOTS = Array.from({ length: DEPTH }, (_, slot) => slot);

export type TapLevel = (price: number, size: number) => void;

interface Props {
  symbol: string;
  base: string;
  quote: string;
  grouping: number;
  groupings: readonly number[];
  amountDecimals: number;
  priceDecimals: number;
  /** With room for a third column: what lies between a level and the best price. The grouping is beside the title then. */
  roomy: boolean;
  /** The last price until a trade is heard. */
  last?: number | undefined;
  /** HKD for one USDT, where the pair is quoted in HKD. */
  rate?: string | null | undefined;
  onGrouping(grouping: number): void;
  onLevel: TapLevel;
}

/** Ten levels a side. Rows belong to slots, not to prices, so a flush changes texts and never the document. */
export const BookPanel = memo(function BookPanel(props: Props) {
  const { t } = useTranslation('trade');
  const { symbol, grouping, onLevel } = props;
  const choice = (
    <Select
      key="grouping"
      look="inline"
      hideLabel
      className={css.grouping}
      label={t('book.grouping')}
      value={grouping}
      options={props.groupings.map((value) => ({ value, label: quickPrice(value, placesOf(value)) }))}
      onChange={props.onGrouping}
    />
  );
  return (
    <section className={css.panel} aria-label={t('book.title')}>
      {props.roomy && choice}
      <div className={css.head} aria-hidden="true">
        <span>
          {t('book.price')}
          <br />({props.quote})
        </span>
        <span>
          {t('book.amount')}
          <br />({props.base})
        </span>
        {props.roomy && (
          <span>
            {t('ticket.total')}
            <br />({props.base})
          </span>
        )}
      </div>
      <BookRows
        symbol={symbol}
        quote={props.quote}
        grouping={grouping}
        amountDecimals={props.amountDecimals}
        priceDecimals={props.priceDecimals}
        totals={props.roomy}
        last={props.last}
        rate={props.rate}
        onLevel={onLevel}
      />
      {!props.roomy && choice}
    </section>
  );
});

interface RowsProps {
  symbol: string;
  quote: string;
  grouping: number;
  amountDecimals: number;
  priceDecimals: number;
  totals: boolean;
  last: number | undefined;
  rate: string | null | undefined;
  onLevel: TapLevel;
}

function BookRows(props: RowsProps) {
  const { symbol, grouping, amountDecimals, totals, onLevel } = props;
  countRender('book');
  const { t } = useTranslation('trade');
  const book = useBook(symbol, DEPTH, grouping);
  const online = useOnline();
  const list = useRef<HTMLDivElement>(null);
  const places = placesOf(grouping);

  function tap(event: MouseEvent<HTMLDivElement>) {
    const row = (event.target as HTMLElement).closest<HTMLElement>('[data-side]');
    if (!row || !book) return;
    const level = (row.dataset.side === 'ask' ? book.asks : book.bids)[Number(row.dataset.slot)];
    if (level) onLevel(level.price, level.size);
  }

  /** One tab stop for the whole book; arrows move between its rows. */
  function move(event: KeyboardEvent<HTMLDivElement>) {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const rows = [...(list.current?.querySelectorAll<HTMLElement>('[data-side]') ?? [])];
    const at = rows.indexOf(document.activeElement as HTMLElement);
    rows[Math.min(rows.length - 1, Math.max(0, at + step))]?.focus();
  }

  if (!book) return online ? <BookSkeleton label={t('book.loading')} /> : <OfflineState />;
  const max = book.maxTotal || 1;
  const row = (side: 'ask' | 'bid', slot: number, level: BookLevel | undefined) => (
    <Row
      key={`${side}${slot}`}
      side={side}
      slot={slot}
      price={level ? quickPrice(level.price, places) : ''}
      size={level ? quickSize(level.size, amountDecimals) : ''}
      total={totals && level ? quickSize(level.total, amountDecimals) : undefined}
      share={level ? Math.round((level.total / max) * 100) / 100 : 0}
    />
  );
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the rows inside are the buttons; their events are gathered here.
    <div ref={list} className={css.rows} onClick={tap} onKeyDown={move}>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would be a form's part; this groups price levels. */}
      <div role="group" aria-label={t('book.asks')} className={css.side}>
        {SLOTS.map((_, index) => row('ask', DEPTH - 1 - index, book.asks[DEPTH - 1 - index]))}
      </div>
      <LastPrice
        symbol={symbol}
        quote={props.quote}
        places={props.priceDecimals}
        rate={props.rate}
        known={props.last}
      />
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would be a form's part; this groups price levels. */}
      <div role="group" aria-label={t('book.bids')} className={css.side}>
        {SLOTS.map((slot) => row('bid', slot, book.bids[slot]))}
      </div>
      <Ratio bids={book.bids.at(-1)?.total ?? 0} asks={book.asks.at(-1)?.total ?? 0} />
    </div>
  );
}

interface RowProps {
  side: 'ask' | 'bid';
  slot: number;
  price: string;
  size: string;
  /** Shown where there is a column for it. */
  total: string | undefined;
  /** Running total as a share of the widest, 0-1. */
  share: number;
}

const Row = memo(function Row({ side, slot, price, size, total, share }: RowProps) {
  countRender('row');
  return (
    <button
      type="button"
      data-side={side}
      data-slot={slot}
      tabIndex={side === 'bid' && slot === 0 ? 0 : -1}
      disabled={price === ''}
      className={clsx(css.row, css[side])}
    >
      <i className={css.bar} style={{ transform: `scaleX(${share})` }} />
      <span className={css.price}>{price}</span>
      <span className={css.size}>{size}</span>
      {total !== undefined && <span className={css.size}>{total}</span>}
    </button>
  );
});

/** Whose orders weigh more in the levels shown. */
const Ratio = memo(function Ratio({ bids, asks }: { bids: number; asks: number }) {
  const { t } = useTranslation('trade');
  const all = bids + asks;
  const buy = all > 0 ? Math.round((bids / all) * 100) : 0;
  return (
    <p className={clsx(css.ratio, all === 0 && css.empty)}>
      <span className="sr-only">{t('book.ratio', { buy, sell: 100 - buy })}</span>
      <span className={css.buyShare} aria-hidden="true">
        {buy}%
      </span>
      <span className={css.ratioBar} aria-hidden="true">
        <i style={{ transform: `scaleX(${buy / 100})` }} />
      </span>
      <span className={css.sellShare} aria-hidden="true">
        {100 - buy}%
      </span>
    </p>
  );
});

function BookSkeleton({ label }: { label: string }) {
  return (
    <div role="status" aria-label={label} className={css.skeleton}>
      {Array.from({ length: DEPTH * 2 + 2 }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no identity.
        <Skeleton key={index} height={12} width={`${64 + ((index * 13) % 36)}%`} />
      ))}
    </div>
  );
}

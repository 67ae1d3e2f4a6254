import clsx from 'clsx';
import { memo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Change, CoinIcon, Price } from '@/components/ui';
import type { Path } from '@/config/paths';
import { useFiat } from '@/lib/fiat';
import { showCompact } from '@/lib/format';
import { type Hours, hoursOf, isStock } from '@/lib/stocks';
import { type LiveQuote, usdtPrice } from './live';
import css from './MarketRow.module.css';
import { type MarketNames, openMarket } from './openMarket';
import { SessionBadge } from './SessionBadge';

interface Props extends MarketNames {
  logo: string;
  price: string | number;
  /** The price in USDT, for the fiat below it. */
  worth: string | number | undefined;
  places: number;
  change: string | number;
  turnover: string | number;
  closed: boolean;
  /** Of a stock. */
  company?: string | undefined;
  hours?: Hours | undefined;
  /** Where it leads; to spot trading without it. */
  path?: Path | undefined;
}

/** Primitive props only: a flush of the stream re-renders the rows whose figures changed, and no other. */
export const MarketRow = memo(function MarketRow(props: Props) {
  const { t } = useTranslation();
  const fiat = useFiat();
  const before = useRef(props.price);
  const moved = Math.sign(Number(props.price) - Number(before.current));
  before.current = props.price;

  return (
    <button type="button" className={css.row} onClick={() => openMarket(props, props.path)}>
      <CoinIcon name={props.base} logo={props.logo} />
      <span className={css.names}>
        <span className={css.pair}>
          <b>{props.base}</b>
          <small>/{props.quote}</small>
          {props.company && <small className={css.roomy}> {props.company}</small>}
        </span>
        <span className={clsx('num', css.note)}>
          {props.hours && <SessionBadge hours={props.hours} />}
          {props.company && <span className={css.narrow}> {props.company}</span>}
          <span className={props.company && css.roomy}>
            {' '}
            {props.closed && !props.hours ? t('marketClosed') : t('volume24h', { volume: showCompact(props.turnover) })}
          </span>
        </span>
      </span>
      <span className={css.prices}>
        {/* A new key restarts the flash. */}
        <span key={String(props.price)} className={clsx(css.price, moved > 0 && css.up, moved < 0 && css.down)}>
          <Price value={props.price} places={props.places} />
        </span>
        <span className={clsx('num', css.note)}>{props.worth === undefined ? '\u00a0' : fiat.show(props.worth)}</span>
      </span>
      <Change percent={props.change} look="pill" />
    </button>
  );
});

export function marketRowProps(row: LiveQuote, path?: Path): Props {
  const { quote, price, change, turnover } = row;
  return {
    base: quote.currency_name,
    quote: quote.legal_name,
    baseId: quote.currency_id,
    quoteId: quote.legal_id,
    logo: quote.logo,
    price,
    worth: usdtPrice(row),
    places: quote.precision_length,
    change,
    turnover,
    closed: quote.market_status !== 'open',
    company: isStock(quote) ? quote.title : undefined,
    hours: hoursOf(quote),
    path,
  };
}

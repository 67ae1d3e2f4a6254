import clsx from 'clsx';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { memo } from 'react';
import { useFiat } from '@/lib/fiat';
import { quickPrice } from '@/lib/format';
import { useTicker, useTrades } from '@/lib/market';
import css from './LastPrice.module.css';

const USDT_PLACES = 4;

interface Props {
  symbol: string;
  /** The quote currency: a price in another than USDT is converted for the fiat below. */
  quote: string;
  places: number;
  /** HKD for one USDT, where the pair is quoted in HKD: below the price it shows in USDT then. */
  rate?: string | null | undefined;
  /** Known otherwise: it stands until a trade is heard. */
  known?: number | undefined;
}

/** The last trade's price between the book's sides; arrow and colour say which way it went. */
export const LastPrice = memo(function LastPrice({ symbol, quote, places, rate, known }: Props) {
  const fiat = useFiat();
  const ticker = useTicker(symbol);
  const quoteTicker = useTicker(quote === 'USDT' ? symbol : `${quote}/USDT`);
  const [last, before] = useTrades(symbol);
  const price = last?.price ?? ticker?.last ?? known;
  if (price === undefined) return <div className={css.last} />;
  const inUsdt = quote === 'USDT' ? 1 : quoteTicker?.last;
  const inFiat = inUsdt === undefined ? '\u00a0' : fiat.approx(price * inUsdt);
  const up = last === undefined || before === undefined || last.price >= before.price;
  const Arrow = up ? ArrowUp : ArrowDown;
  return (
    <div className={css.last}>
      <span className={clsx('num', css.price, up ? css.up : css.down)}>
        {quickPrice(price, places)}
        <Arrow size={14} strokeWidth={2.5} aria-hidden="true" />
      </span>
      <span className={clsx('num', css.fiat)}>
        {rate ? `≈ ${quickPrice(price / Number(rate), USDT_PLACES)} USDT` : inFiat}
      </span>
    </div>
  );
});

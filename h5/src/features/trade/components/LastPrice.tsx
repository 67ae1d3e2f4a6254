import clsx from 'clsx';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { memo } from 'react';
import { useFiat } from '@/lib/fiat';
import { useTicker, useTrades } from '@/lib/market';
import { quickPrice } from '../figures';
import css from './LastPrice.module.css';

/** The last trade's price between the book's sides; arrow and colour say which way it went. */
export const LastPrice = memo(function LastPrice({ symbol, places }: { symbol: string; places: number }) {
  const fiat = useFiat();
  const ticker = useTicker(symbol);
  const [last, before] = useTrades(symbol);
  const price = last?.price ?? ticker?.last;
  if (price === undefined) return <div className={css.last} />;
  const up = last === undefined || before === undefined || last.price >= before.price;
  const Arrow = up ? ArrowUp : ArrowDown;
  return (
    <div className={css.last}>
      <span className={clsx('num', css.price, up ? css.up : css.down)}>
        {quickPrice(price, places)}
        <Arrow size={14} strokeWidth={2.5} aria-hidden="true" />
      </span>
      <span className={clsx('num', css.fiat)}>{fiat.approx(price)}</span>
    </div>
  );
});

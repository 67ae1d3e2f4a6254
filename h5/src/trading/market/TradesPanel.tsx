import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { OfflineState } from '@/components/ui';
import { clockTime, quickPrice, quickSize } from '@/lib/format';
import { countRender, type Trade, useTrades } from '@/lib/market';
import { useOnline } from '@/lib/online';
import css from './TradesPanel.module.css';

const SHOWN = 20;
const SLOTS = Array.from({ length: SHOWN }, (_, slot) => slot);

interface Props {
  symbol: string;
  priceDecimals: number;
  amountDecimals: number;
}

export const TradesPanel = memo(function TradesPanel({ symbol, priceDecimals, amountDecimals }: Props) {
  countRender('trades');
  const { t } = useTranslation('trade');
  const trades = useTrades(symbol);
  const online = useOnline();
  if (trades.length === 0) return online ? <p className={css.none}>{t('trades.none')}</p> : <OfflineState />;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: where it scrolls it must be within the keyboard's reach.
    <section className={css.panel} aria-label={t('trades.title')} tabIndex={0}>
      <table className={css.table}>
        <thead>
          <tr>
            <th scope="col">{t('trades.time')}</th>
            <th scope="col">{t('book.price')}</th>
            <th scope="col">{t('book.amount')}</th>
          </tr>
        </thead>
        <tbody>
          {SLOTS.map((slot) => (
            <TradeRow
              key={slot}
              timeMs={trades[slot]?.timeMs}
              side={trades[slot]?.side}
              price={quickPrice(trades[slot]?.price ?? 0, priceDecimals)}
              size={quickSize(trades[slot]?.size ?? 0, amountDecimals)}
            />
          ))}
        </tbody>
      </table>
    </section>
  );
});

interface RowProps {
  timeMs: number | undefined;
  side: Trade['side'] | undefined;
  price: string;
  size: string;
}

const TradeRow = memo(function TradeRow({ timeMs, side, price, size }: RowProps) {
  const { t } = useTranslation('trade');
  if (timeMs === undefined) return null;
  return (
    <tr>
      <td>{clockTime(timeMs)}</td>
      <td className={side === 'buy' ? css.buy : css.sell}>
        <span className="sr-only">{t(side === 'buy' ? 'ticket.buy' : 'ticket.sell')} </span>
        <span aria-hidden="true">{side === 'buy' ? '↑' : '↓'}</span> {price}
      </td>
      <td>{size}</td>
    </tr>
  );
});

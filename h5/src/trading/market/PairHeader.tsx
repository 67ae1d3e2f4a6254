import { CandlestickChart, ChevronDown, Star } from 'lucide-react';
import { memo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Change, IconButton, NavBar } from '@/components/ui';
import { useFavorites } from '@/lib/api/favorites';
import type { Quote } from '@/lib/api/types';
import { useTicker } from '@/lib/market';
import css from './PairHeader.module.css';
import { PairSheet } from './PairSheet';
import type { Offers } from './pairs';

interface Props {
  quote: Quote;
  /** What is traded here, as the page calls it. */
  title: string;
  offers: Offers;
  /** With `onChart`: the chart can be shown and hidden. */
  chart?: boolean;
  onChart?(): void;
  onChoose(quote: Quote): void;
}

export const PairHeader = memo(function PairHeader({ quote, title, offers, chart, onChart, onChoose }: Props) {
  const { t } = useTranslation('trade');
  const [open, setOpen] = useState(false);
  return (
    <>
      <NavBar
        noBack
        title={`${quote.symbol} ${title}`}
        heading={
          <div>
            <h1 className="sr-only">{`${quote.symbol} ${title}`}</h1>
          </div>
        }
        left={
          <>
            <button type="button" className={css.pair} aria-haspopup="dialog" onClick={() => setOpen(true)}>
              {quote.symbol}
              <ChevronDown size={18} aria-hidden="true" />
              <span className="sr-only">{t('pair.choose')}</span>
            </button>
            <PairChange quote={quote} />
          </>
        }
        right={
          <>
            <FavouriteButton quote={quote} />
            {onChart && (
              <IconButton label={t(chart ? 'chart.hide' : 'chart.show')} aria-pressed={chart} onClick={onChart}>
                <CandlestickChart size={20} className={chart ? css.on : undefined} />
              </IconButton>
            )}
          </>
        }
      />
      <PairSheet
        open={open}
        symbol={quote.symbol}
        offers={offers}
        onClose={() => setOpen(false)}
        onChoose={(next) => {
          setOpen(false);
          onChoose(next);
        }}
      />
    </>
  );
});

function PairChange({ quote }: { quote: Quote }) {
  const ticker = useTicker(quote.symbol);
  return <Change percent={ticker?.changePercent ?? quote.change} className={css.change} />;
}

function FavouriteButton({ quote }: { quote: Quote }) {
  const { t } = useTranslation('trade');
  const { ids, toggle } = useFavorites();
  const known = ids.has(quote.id);
  return (
    <IconButton
      label={t(known ? 'pair.removeFavourite' : 'pair.addFavourite')}
      aria-pressed={known}
      onClick={() => toggle(quote)}
    >
      <Star size={20} className={known ? css.star : undefined} fill={known ? 'currentColor' : 'none'} />
    </IconButton>
  );
}

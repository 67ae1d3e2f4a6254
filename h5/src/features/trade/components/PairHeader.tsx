import { CandlestickChart, ChevronDown, Star } from 'lucide-react';
import { memo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Change, IconButton, NavBar } from '@/components/ui';
import { askForLogin, describeFailure } from '@/lib/api/client';
import type { Quote } from '@/lib/api/types';
import { useTicker } from '@/lib/market';
import { useToken } from '@/lib/session';
import { toast } from '@/lib/toast';
import { useFavourites, useToggleFavourite } from '../api/account';
import css from './PairHeader.module.css';
import { PairSheet } from './PairSheet';

interface Props {
  quote: Quote;
  chart: boolean;
  onChart(): void;
  onChoose(quote: Quote): void;
}

export const PairHeader = memo(function PairHeader({ quote, chart, onChart, onChoose }: Props) {
  const { t } = useTranslation('trade');
  const [open, setOpen] = useState(false);
  return (
    <>
      <NavBar
        noBack
        title={`${quote.symbol} ${t('title')}`}
        heading={
          <div>
            <h1 className="sr-only">{`${quote.symbol} ${t('title')}`}</h1>
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
            <IconButton label={t(chart ? 'chart.hide' : 'chart.show')} aria-pressed={chart} onClick={onChart}>
              <CandlestickChart size={20} className={chart ? css.on : undefined} />
            </IconButton>
          </>
        }
      />
      <PairSheet
        open={open}
        symbol={quote.symbol}
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
  const { t } = useTranslation(['trade', 'common']);
  const token = useToken();
  const favourites = useFavourites();
  const toggle = useToggleFavourite();
  const known = favourites.data?.find((row) =>
    row.match_id === undefined ? row.currency_id === quote.currency_id : row.match_id === quote.id,
  );
  async function press() {
    if (!token) {
      askForLogin(t('common:loginFirst'));
      return;
    }
    try {
      await toggle(known, quote);
    } catch (cause) {
      toast.error(describeFailure(cause));
    }
  }
  return (
    <IconButton
      label={t(known ? 'pair.removeFavourite' : 'pair.addFavourite')}
      aria-pressed={known !== undefined}
      onClick={() => void press()}
    >
      <Star size={20} className={known ? css.star : undefined} fill={known ? 'currentColor' : 'none'} />
    </IconButton>
  );
}

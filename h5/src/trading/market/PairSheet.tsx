import { Search } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Change, CoinIcon, Empty, Input, Price, Sheet, Tabs } from '@/components/ui';
import { useFavorites } from '@/lib/api/favorites';
import { useQuotes } from '@/lib/api/quotes';
import type { Quote } from '@/lib/api/types';
import { quickVolume } from '@/lib/format';
import { marketSymbol, useTickers } from '@/lib/market';
import { useAtom } from '@/lib/state';
import { pairListAtom } from '../view';
import css from './PairSheet.module.css';
import type { Offers } from './pairs';

interface Props {
  open: boolean;
  symbol: string;
  offers: Offers;
  onChoose(quote: Quote): void;
  onClose(): void;
}

/** The markets, from the top edge where the pair's name was tapped. */
export function PairSheet({ open, symbol, offers, onChoose, onClose }: Props) {
  const { t } = useTranslation('trade');
  return (
    <Sheet from="top" open={open} onClose={onClose} title={t('pair.choose')}>
      {open && <Pairs symbol={symbol} offers={offers} onChoose={onChoose} />}
    </Sheet>
  );
}

function Pairs({ symbol, offers, onChoose }: Omit<Props, 'open' | 'onClose'>) {
  const { t } = useTranslation('trade');
  const quotes = useQuotes();
  const tickers = useTickers();
  const { ids } = useFavorites();
  const [tab, setTab] = useAtom(pairListAtom);
  const [text, setText] = useState('');
  const rows = useMemo(() => {
    const needle = text.trim().toUpperCase();
    return (quotes.data ?? []).filter(
      (row) => offers(row) && (needle === '' || row.symbol.includes(needle)) && (tab === 'all' || ids.has(row.id)),
    );
  }, [quotes.data, offers, ids, tab, text]);
  return (
    <div className={css.pairs}>
      <Input
        hideLabel
        label={t('pair.search')}
        placeholder={t('pair.search')}
        type="search"
        autoCapitalize="characters"
        prefix={<Search size={16} className={css.search} aria-hidden="true" />}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Tabs<'all' | 'favourites'>
        label={t('pair.choose')}
        className={css.tabs}
        value={tab}
        onChange={setTab}
        items={[
          { value: 'all', label: t('pair.all') },
          { value: 'favourites', label: t('pair.favourites') },
        ]}
      />
      <div className={css.columns} aria-hidden="true">
        <span>{t('pair.columns.pair')}</span>
        <span>{t('pair.columns.price')}</span>
        <span>{t('pair.columns.change')}</span>
      </div>
      <ul className={css.list} aria-label={t('pair.choose')}>
        {rows.map((row) => {
          const live = tickers[marketSymbol(row.symbol)];
          const change = live?.changePercent ?? row.change;
          return (
            <li key={row.id}>
              <button
                type="button"
                className={css.row}
                aria-current={row.symbol === symbol || undefined}
                onClick={() => onChoose(row)}
              >
                <span className={css.name}>
                  <CoinIcon name={row.currency_name} logo={row.logo} size={26} />
                  <span>
                    <strong>{row.currency_name}</strong>
                    <span className={css.quote}>/{row.legal_name}</span>
                    <span className={`num ${css.volume}`}>{quickVolume(live?.turnover ?? Number(row.turnover))}</span>
                  </span>
                </span>
                <Price value={live?.last ?? row.now_price} places={row.precision_length} />
                <Change percent={change} />
              </button>
            </li>
          );
        })}
      </ul>
      {rows.length === 0 && (
        <Empty title={tab === 'favourites' && text === '' ? t('pair.noFavourites') : t('pair.none')} />
      )}
    </div>
  );
}

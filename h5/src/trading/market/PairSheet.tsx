import { Search } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { SessionBadge } from '@/components/market/SessionBadge';
import { Change, CoinIcon, Empty, Input, Price, Sheet, Tabs } from '@/components/ui';
import { useFavorites } from '@/lib/api/favorites';
import { useQuotes } from '@/lib/api/quotes';
import type { Quote } from '@/lib/api/types';
import { quickVolume } from '@/lib/format';
import { marketSymbol, useTickers } from '@/lib/market';
import { useAtom } from '@/lib/state';
import { hoursOf, isStock } from '@/lib/stocks';
import { type PairList, pairListAtom } from '../view';
import css from './PairSheet.module.css';
import type { Offers } from './pairs';

interface Props {
  open: boolean;
  symbol: string;
  offers: Offers;
  onChoose(quote: Quote): void;
  onClose(): void;
}

const KINDS = { all: 'coin', stock_us: 'stock_us', stock_hk: 'stock_hk' } as const;
const STOCKS = ['stock_us', 'stock_hk'] as const;

const namesOf = ({ symbol, title }: Quote): string => `${symbol} ${title}`.toUpperCase();

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
  const { t } = useTranslation(['trade', 'stock']);
  const quotes = useQuotes();
  const tickers = useTickers();
  const { ids } = useFavorites();
  const [kept, keep] = useAtom(pairListAtom);
  const [chosen, setChosen] = useState<PairList>();
  const [text, setText] = useState('');
  const offered = useMemo(() => (quotes.data ?? []).filter(offers), [quotes.data, offers]);
  const stocks = STOCKS.filter((kind) => offered.some((row) => row.kind === kind));
  // It opens where the pair is that is looked at.
  const own = offered.find((row) => row.symbol === symbol)?.kind ?? 'coin';
  const wanted = chosen ?? (kept === 'favourites' || own === 'coin' ? kept : own);
  const tab = wanted === 'stock_us' || wanted === 'stock_hk' ? (stocks.includes(wanted) ? wanted : 'all') : wanted;
  const rows = useMemo(() => {
    const needle = text.trim().toUpperCase();
    // A search goes through everything: whoever types a name does not care about the tab.
    if (needle !== '') return offered.filter((row) => namesOf(row).includes(needle));
    return offered.filter((row) => (tab === 'favourites' ? ids.has(row.id) : row.kind === KINDS[tab]));
  }, [offered, ids, tab, text]);
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
      <Tabs<PairList>
        label={t('pair.choose')}
        className={css.tabs}
        value={tab}
        onChange={(next) => {
          setChosen(next);
          keep(next);
        }}
        items={[
          { value: 'all', label: t(stocks.length > 0 ? 'stock:coins' : 'pair.all') },
          ...stocks.map((kind) => ({ value: kind, label: t(`stock:list.${kind}`) })),
          { value: 'favourites', label: t('pair.favourites') },
        ]}
      />
      <div className={css.columns} aria-hidden="true">
        <span>{t('pair.columns.pair')}</span>
        <span>{t('pair.columns.price')}</span>
        <span>{t(stocks.some((kind) => kind === tab) ? 'pair.columns.dayChange' : 'pair.columns.change')}</span>
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
                    <span className={css.quote}>/{row.legal_name}</span> <RowBadge row={row} />
                    <span className={`num ${css.volume}`}>
                      {isStock(row) ? row.title : quickVolume(live?.turnover ?? Number(row.turnover))}
                    </span>
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

/** Of a stock: whether it is traded now. */
function RowBadge({ row }: { row: Quote }) {
  const hours = hoursOf(row);
  return hours ? <SessionBadge hours={hours} /> : null;
}

import { Star } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CoinIcon, Empty, SearchBox, Sheet } from '@/components/ui';
import { useFavorites } from '@/lib/api/favorites';
import { useQuotes } from '@/lib/api/quotes';
import type { Quote } from '@/lib/api/types';
import css from './FavoritesSheet.module.css';

interface Props {
  /** The markets that the list is of. */
  offers(quote: Quote): boolean;
  open: boolean;
  onClose(): void;
}

/** All markets of a list with a star each: one tap adds or removes. */
export function FavoritesSheet({ offers, open, onClose }: Props) {
  const { t } = useTranslation('market');
  const { data } = useQuotes();
  const { ids, toggle } = useFavorites();
  const [search, setSearch] = useState('');
  const words = search.trim().toLowerCase();
  const rows = (data ?? []).filter(
    (quote) => offers(quote) && `${quote.symbol} ${quote.title}`.toLowerCase().includes(words),
  );
  return (
    <Sheet open={open} onClose={onClose} title={t('addFavorites')}>
      <SearchBox label={t('search')} value={search} onChange={setSearch} />
      {rows.length === 0 && <Empty title={t('emptyList')} />}
      <ul className={css.list}>
        {rows.map((quote) => {
          const on = ids.has(quote.id);
          return (
            <li key={quote.id}>
              <button type="button" className={css.row} aria-pressed={on} onClick={() => toggle(quote)}>
                <CoinIcon name={quote.currency_name} logo={quote.logo} size={28} />
                <span className={css.name}>
                  {quote.currency_name}
                  <small>/{quote.legal_name}</small>
                </span>
                <Star size={20} aria-hidden="true" className={css.star} />
              </button>
            </li>
          );
        })}
      </ul>
    </Sheet>
  );
}

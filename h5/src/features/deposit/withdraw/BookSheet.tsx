import { Plus } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Button, ErrorState, Sheet, SkeletonRows } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { serverNow } from '@/lib/market';
import { navigateTo } from '@/lib/navigation';
import { Address } from '../Address';
import type { SavedAddress, useBook } from '../api/book';
import css from '../Deposit.module.css';
import { Waits } from './Banner';

interface Props {
  open: boolean;
  currency: number;
  network: string;
  book: ReturnType<typeof useBook>;
  /** Those of this coin and network. */
  addresses: readonly SavedAddress[];
  chosen: number | undefined;
  onChoose(address: SavedAddress): void;
  onClose(): void;
}

/** The addresses of the book that coins can be paid to; those that wait still are shown with the time that is left. */
export default function BookSheet({ open, currency, network, book, addresses, chosen, onChoose, onClose }: Props) {
  const { t } = useTranslation('withdraw');
  return (
    <Sheet
      open={open}
      onClose={onClose}
      title={t('chooseAddress')}
      footer={
        <Button
          block
          tone="secondary"
          icon={<Plus size={18} />}
          onClick={() => {
            onClose();
            navigateTo(PATHS.addWallet, { currency, network });
          }}
        >
          {t('addAddress')}
        </Button>
      }
    >
      {book.error && <ErrorState compact error={book.error} onRetry={() => void book.refetch()} />}
      {book.isPending && <SkeletonRows rows={2} icon={false} />}
      {book.data && addresses.length === 0 && <p className={css.hint}>{t('noAddress')}</p>}
      <ul className={css.own} aria-label={t('chooseAddress')}>
        {addresses.map((row) => (
          <li key={row.id} className={css.ownRow}>
            <button
              type="button"
              className={css.saved}
              aria-pressed={row.id === chosen}
              disabled={row.usable_at_ms > serverNow()}
              onClick={() => onChoose(row)}
            >
              {row.remark && <b>{row.remark}</b>}
              <Address text={row.address} />
              <Waits untilMs={row.usable_at_ms} />
            </button>
          </li>
        ))}
      </ul>
    </Sheet>
  );
}

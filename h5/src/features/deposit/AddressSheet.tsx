import { Check, Copy, Plus } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Button, IconButton, Sheet } from '@/components/ui';
import { copyText } from '@/lib/clipboard';
import { useOnline } from '@/lib/online';
import { Address } from './Address';
import { type DepositAddress, useNewAddress } from './api/deposits';
import type { Network } from './api/networks';
import css from './Deposit.module.css';

interface Props {
  open: boolean;
  place: Network;
  addresses: readonly DepositAddress[];
  /** Which one the page shows. */
  shown: number;
  /** Without a number: the newest. */
  onShow(n: number | undefined): void;
  onClose(): void;
}

/** All addresses of the account on a network, the newest first; each may be shown again, and one more may be made. */
export function AddressSheet({ open, place, addresses, shown, onShow, onClose }: Props) {
  const { t } = useTranslation('deposit');
  const { t: c } = useTranslation();
  const online = useOnline();
  const { making, make } = useNewAddress(place);
  const most = addresses[0]?.most ?? 0;
  const full = addresses.length >= most;
  return (
    <Sheet
      open={open}
      onClose={onClose}
      title={t('addresses.title')}
      footer={
        <Button
          block
          icon={<Plus size={18} />}
          loading={making}
          disabled={full || !online}
          throttleMs={1000}
          onClick={() =>
            void make().then((made) => {
              if (made) onShow(undefined);
            })
          }
        >
          {online ? t('addresses.make', { n: addresses.length, most }) : c('error.offline')}
        </Button>
      }
    >
      <p className={css.hint}>{t(full ? 'addresses.full' : 'addresses.note', { most })}</p>
      <ol className={css.own} reversed aria-label={t('addresses.title')}>
        {addresses.toReversed().map(({ n, address }) => (
          <li key={n} className={css.ownRow}>
            <button type="button" className={css.pick} aria-pressed={n === shown} onClick={() => onShow(n)}>
              <span className="num">{n}</span> <Address text={address} />
              {n === shown && <Check size={18} aria-hidden="true" />}
            </button>
            <IconButton label={t('addresses.copy', { n })} onClick={() => void copyText(address)}>
              <Copy size={16} />
            </IconButton>
          </li>
        ))}
      </ol>
    </Sheet>
  );
}

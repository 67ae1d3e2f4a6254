/** The book of addresses that coins may be withdrawn to, and whether a new one waits before it may be used. */
import { Copy, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { SuretyField } from '@/components/safe';
import {
  Badge,
  Button,
  CoinIcon,
  ConfirmDialog,
  Empty,
  ErrorState,
  IconButton,
  NavBar,
  PullRefresh,
  SkeletonRows,
} from '@/components/ui';
import { PATHS } from '@/config/paths';
import { isComplete, useHasFactor } from '@/lib/api/safe';
import { copyText } from '@/lib/clipboard';
import { navigateTo } from '@/lib/navigation';
import { toast } from '@/lib/toast';
import { Address } from './Address';
import { type SavedAddress, useBook, useWhitelist, type Whitelist } from './api/book';
import { useBookChanges } from './api/bookChanges';
import { partsOf } from './coins';
import css from './Deposit.module.css';
import { Ends, Waits } from './withdraw/Banner';
import { hoursOf } from './withdraw/hours';

export default function WalletPage() {
  const { t } = useTranslation('withdraw');
  const { data, error, isPending, refetch } = useBook();
  const whitelist = useWhitelist();
  const [removing, setRemoving] = useState<SavedAddress>();
  const [switching, setSwitching] = useState(false);
  // Asked for before a dialog needs it.
  useHasFactor();
  return (
    <>
      <NavBar title={t('book.title')} />
      <PullRefresh onRefresh={() => Promise.all([refetch(), whitelist.refetch()])}>
        {whitelist.data && <WhitelistCard whitelist={whitelist.data} onSwitch={() => setSwitching(true)} />}
        {error && <ErrorState compact={data !== undefined} error={error} onRetry={() => void refetch()} />}
        {isPending && <SkeletonRows rows={3} />}
        {data?.length === 0 && <Empty title={t('book.none')} note={t('book.noneNote')} />}
        {data && data.length > 0 && (
          <ul className={css.cards} aria-label={t('book.title')}>
            {data.map((row) => (
              <AddressItem key={row.id} row={row} onRemove={() => setRemoving(row)} />
            ))}
          </ul>
        )}
        {data && (
          <div className={css.below}>
            <Button block size="l" icon={<Plus size={18} />} onClick={() => navigateTo(PATHS.addWallet)}>
              {t('addAddress')}
            </Button>
          </div>
        )}
      </PullRefresh>
      {removing && <RemoveDialog row={removing} onClose={() => setRemoving(undefined)} />}
      {switching && whitelist.data && (
        <WhitelistDialog waitS={whitelist.data.wait_s} onClose={() => setSwitching(false)} />
      )}
    </>
  );
}

function WhitelistCard({ whitelist, onSwitch }: { whitelist: Whitelist; onSwitch(): void }) {
  const { t } = useTranslation('withdraw');
  const { on, wait_s, off_at_ms: offAtMs = 0 } = whitelist;
  const { busy, waitAgain } = useBookChanges();
  const ends = on === 1 && offAtMs > 0;

  async function again() {
    if (await waitAgain()) toast.success(t('book.turnedOn'));
  }

  return (
    <section className={css.facts} aria-label={t('book.whitelist')}>
      <div className={css.line}>
        <b>{t('book.whitelist')}</b>
        {ends ? <Ends atMs={offAtMs} /> : <Badge tone={on ? 'up' : 'warn'}>{t(on ? 'book.on' : 'book.off')}</Badge>}
      </div>
      <p className={css.hint}>{t(on ? 'book.onNote' : 'book.offNote', { hours: hoursOf(wait_s) })}</p>
      {on === 1 && !ends ? (
        <Button key="off" tone="secondary" block onClick={onSwitch}>
          {t('book.turnOff')}
        </Button>
      ) : (
        <Button key="on" block loading={busy} throttleMs={1000} onClick={() => void again()}>
          {t(ends ? 'book.keep' : 'book.turnOn')}
        </Button>
      )}
    </section>
  );
}

function AddressItem({ row, onRemove }: { row: SavedAddress; onRemove(): void }) {
  const { t } = useTranslation('withdraw');
  const { name, network, remark, address, usable_at_ms } = row;
  const [first, , last] = partsOf(address);
  const short = `${first}…${last}`;
  return (
    <li className={css.saving}>
      <div className={css.savingHead}>
        <CoinIcon name={name} size={32} />
        <div className={css.body}>
          <b>{remark || name}</b>
          <span className={css.hint}>{remark && name !== network ? `${name} · ${network}` : network}</span>
        </div>
        <IconButton label={t('book.copy', { address: short })} onClick={() => void copyText(address)}>
          <Copy size={17} />
        </IconButton>
        <IconButton label={t('book.remove', { address: short })} onClick={onRemove}>
          <Trash2 size={17} />
        </IconButton>
      </div>
      <Address text={address} />
      <Waits untilMs={usable_at_ms} />
    </li>
  );
}

function RemoveDialog({ row, onClose }: { row: SavedAddress; onClose(): void }) {
  const { t } = useTranslation('withdraw');
  const { busy, remove } = useBookChanges();
  return (
    <ConfirmDialog
      open
      title={t('book.removeTitle')}
      tone="danger"
      loading={busy}
      onClose={onClose}
      onConfirm={() =>
        void remove(row.id).then((removed) => {
          if (!removed) return;
          toast.success(t('book.removed'));
          onClose();
        })
      }
    >
      <div className={css.confirm}>
        <p className={css.hint}>{t('book.removeNote')}</p>
        <Address text={row.address} />
      </div>
    </ConfirmDialog>
  );
}

/** Asks before new addresses wait no more, and for what it is confirmed with. */
function WhitelistDialog({ waitS, onClose }: { waitS: number; onClose(): void }) {
  const { t } = useTranslation('withdraw');
  const { busy, waitNoMore } = useBookChanges();
  const [text, setText] = useState('');
  const [tried, setTried] = useState(false);
  const by = { hasFactor: useHasFactor(), text };
  const hours = hoursOf(waitS);

  async function send() {
    setTried(true);
    if (!isComplete(by) || !(await waitNoMore(by))) return;
    toast.success(t('book.turnedOff', { hours }));
    onClose();
  }

  return (
    <ConfirmDialog
      open
      title={t('book.turnOff')}
      tone="danger"
      loading={busy}
      onClose={onClose}
      onConfirm={() => void send()}
    >
      <div className={css.confirm}>
        <p className={css.hint}>{t('book.turnOffNote', { hours })}</p>
        <SuretyField value={text} onChange={setText} tried={tried} />
      </div>
    </ConfirmDialog>
  );
}

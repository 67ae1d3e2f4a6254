import { ChevronRight, Copy, Download, Share2, TriangleAlert } from 'lucide-react';
import { type ComponentType, lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, Skeleton } from '@/components/ui';
import type { CodeProps } from '@/components/ui/QrCode';
import { copyText } from '@/lib/clipboard';
import { toast } from '@/lib/toast';
import { Address } from './Address';
import { AddressSheet } from './AddressSheet';
import type { DepositAddress } from './api/deposits';
import type { Network } from './api/networks';
import css from './Deposit.module.css';

const NoCode: ComponentType<CodeProps> = () => null;
/** With the library that draws it. Without it, when it cannot be loaded, there is still the address as a text. */
const QrCode = lazy<ComponentType<CodeProps>>(() =>
  import('@/components/ui/QrCode').catch(() => ({ default: NoCode })),
);

interface Props {
  network: Network;
  /** At least one, the oldest first. */
  addresses: readonly DepositAddress[];
}

/** The newest address unless another one is chosen. */
export function AddressCard({ network, addresses }: Props) {
  const { t } = useTranslation('deposit');
  const [n, setN] = useState<number>();
  const [listed, setListed] = useState(false);
  const shown = addresses.find((row) => row.n === n) ?? addresses.at(-1);
  const coin = network.currency_name;
  if (!shown) return null;
  return (
    <section className={css.card} aria-label={t('address')}>
      <div className={css.code}>
        <Suspense fallback={<Skeleton height="100%" />}>
          <QrCode text={shown.address} label={t('code', { coin })} />
        </Suspense>
      </div>
      <p className={css.label}>
        {t('address')}
        {addresses.length > 1 && ` #${shown.n}`}
      </p>
      <Address text={shown.address} />
      <p className={css.hint}>{t('compare')}</p>
      <Ways network={network} address={shown.address} />
      <button type="button" className={css.more} aria-haspopup="dialog" onClick={() => setListed(true)}>
        <span>{t('addresses.title')}</span>{' '}
        <span className="num">{t('addresses.count', { n: addresses.length, most: shown.most })}</span>
        <ChevronRight size={16} aria-hidden="true" />
      </button>
      <p className={css.warning}>
        <TriangleAlert size={16} aria-hidden="true" />
        <span>{t('warning', { coin, network: network.title })}</span>
      </p>
      <AddressSheet
        open={listed}
        place={network}
        addresses={addresses}
        shown={shown.n}
        onShow={(next) => {
          setN(next);
          setListed(false);
        }}
        onClose={() => setListed(false)}
      />
    </section>
  );
}

/** What can be done with an address; browsers without a way to share have no button for it. */
function Ways({ network, address }: { network: Network; address: string }) {
  const { t } = useTranslation('deposit');
  const { currency_name: coin, title } = network;

  async function withPicture(act: 'save' | 'share'): Promise<void> {
    try {
      const way = await import('./picture');
      const note = t('onNetwork', { network: title });
      const heading = t('receive.title', { coin });
      const file = await way.pictureOf({ title: heading, note, address });
      if (act === 'share') await way.share(file, address);
      else way.save(file);
    } catch {
      toast.error(t('noPicture'));
    }
  }

  return (
    <div className={css.ways}>
      <Button block icon={<Copy size={17} />} onClick={() => void copyText(address)}>
        {t('copy')}
      </Button>
      <Button tone="secondary" block icon={<Download size={17} />} onClick={() => void withPicture('save')}>
        {t('save')}
      </Button>
      {'share' in navigator && (
        <Button tone="secondary" block icon={<Share2 size={17} />} onClick={() => void withPicture('share')}>
          {t('share')}
        </Button>
      )}
    </div>
  );
}

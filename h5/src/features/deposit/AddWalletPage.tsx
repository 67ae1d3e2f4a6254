/** A new address of the book: for which coin, on which network, confirmed like a withdrawal. */
import { ClipboardPaste } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { SuretyField } from '@/components/safe';
import { Button, CoinIcon, Empty, ErrorState, IconButton, Input, NavBar, Select, SkeletonRows } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { isComplete, useHasFactor } from '@/lib/api/safe';
import { back, switchTab } from '@/lib/navigation';
import { useOnline } from '@/lib/online';
import { toast } from '@/lib/toast';
import { useWhitelist } from './api/book';
import { useBookChanges } from './api/bookChanges';
import { type Network, useNetworks } from './api/networks';
import { withdrawable } from './coins';
import css from './Deposit.module.css';
import { hoursOf } from './withdraw/hours';

const MOST_REMARK = 50;

export default function AddWalletPage() {
  const { t } = useTranslation('withdraw');
  const { t: d } = useTranslation('deposit');
  const { data, error, isPending, refetch } = useNetworks();
  const networks = data?.filter(withdrawable);
  return (
    <>
      <NavBar title={t('addAddress')} />
      {error && <ErrorState compact={data !== undefined} error={error} onRetry={() => void refetch()} />}
      {isPending && <SkeletonRows rows={4} icon={false} />}
      {networks &&
        (networks.length > 0 ? (
          <AddForm networks={networks} />
        ) : (
          <Empty
            title={t('closed')}
            note={t('closedNote')}
            action={{ label: d('toAssets'), onClick: () => switchTab(PATHS.assets) }}
          />
        ))}
    </>
  );
}

function AddForm({ networks }: { networks: readonly Network[] }) {
  const { t } = useTranslation('withdraw');
  const { t: c } = useTranslation();
  const [params] = useSearchParams();
  const online = useOnline();
  const whitelist = useWhitelist();
  const { busy, save } = useBookChanges();
  const [currency, setCurrency] = useState(() => Number(params.get('currency') ?? networks[0]?.currency));
  const [named, setNamed] = useState(params.get('network'));
  const [address, setAddress] = useState('');
  const [remark, setRemark] = useState('');
  const [text, setText] = useState('');
  const [tried, setTried] = useState(false);
  const [refused, setRefused] = useState({ field: false, why: '' });
  const by = { hasFactor: useHasFactor(), text };
  const own = networks.filter((row) => row.currency === currency);
  // Of one network there is nothing to choose.
  const network = own.find((row) => row.network === named) ?? (own.length === 1 ? own[0] : undefined);
  const entered = address.trim();

  async function submit() {
    setTried(true);
    setRefused({ field: false, why: '' });
    if (!network || entered === '' || !isComplete(by)) return;
    const saved = await save({ currency, network: network.network, address: entered, remark: remark.trim() }, by);
    if (!saved.ok) {
      if (by.hasFactor && saved.spent) {
        setText('');
        setTried(false);
      }
      setRefused({ field: saved.field, why: saved.why || c('error.unknown') });
      return;
    }
    toast.success(t('add.saved'));
    back();
  }

  async function paste() {
    try {
      setAddress((await navigator.clipboard.readText()).trim());
    } catch {
      toast(t('add.noPaste'));
    }
  }

  const addressProblem = refused.field ? refused.why : tried && entered === '' ? t('add.problem.address') : undefined;
  const coins = [...new Map(networks.map((row) => [row.currency, row.currency_name]))];
  return (
    <form
      className={css.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <Select
        label={t('coin')}
        value={currency}
        options={coins.map(([value, label]) => ({ value, label, icon: <CoinIcon name={label} size={26} /> }))}
        onChange={(next) => {
          setCurrency(next);
          setNamed(null);
        }}
      />
      <Select
        label={t('network')}
        value={network?.network ?? null}
        placeholder={t('chooseNetwork')}
        options={own.map((row) => ({
          value: row.network,
          label: row.title === row.network ? row.network : `${row.network} · ${row.title}`,
        }))}
        error={tried && !network ? t('chooseNetwork') : undefined}
        onChange={setNamed}
      />
      <Input
        label={t('address')}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        className={css.typed}
        value={address}
        error={addressProblem}
        hint={t('add.addressHint')}
        onChange={(event) => {
          setAddress(event.target.value);
          setRefused({ field: false, why: '' });
        }}
        suffix={
          <IconButton label={t('add.paste')} onClick={() => void paste()}>
            <ClipboardPaste size={18} />
          </IconButton>
        }
      />
      <Input
        label={t('remark')}
        autoComplete="off"
        maxLength={MOST_REMARK}
        value={remark}
        hint={t('add.remarkHint')}
        onChange={(event) => setRemark(event.target.value)}
      />
      <SuretyField value={text} onChange={setText} tried={tried} />
      {whitelist.data?.on === 1 && whitelist.data.wait_s > 0 && (
        <p className={css.hint}>{t('add.waitNote', { hours: hoursOf(whitelist.data.wait_s) })}</p>
      )}
      <p role="alert" className={css.refused}>
        {refused.field ? '' : refused.why}
      </p>
      <Button type="submit" size="l" block loading={busy} disabled={!online} throttleMs={1000}>
        {online ? t('add.submit') : c('error.offline')}
      </Button>
    </form>
  );
}

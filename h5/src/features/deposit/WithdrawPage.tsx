/**
 * Where coins leave from. The coin and the network come first; then an address of the book, the amount, and what it costs.
 * Nothing is asked for before a sheet has shown all of it once more.
 */
import { ReceiptText } from 'lucide-react';
import { lazy, Suspense, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { CoinIcon, Empty, ErrorState, IconButton, NavBar, PullRefresh, Select, SkeletonRows } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { navigateTo, redirectTo } from '@/lib/navigation';
import { type Network, useNetworks } from './api/networks';
import { withdrawable } from './coins';
import css from './Deposit.module.css';
import { WithdrawBadge } from './withdraw/Banner';

const loadForm = () => import('./withdraw/WithdrawForm');
/** Its own chunk, which comes while the networks are asked for. */
const WithdrawForm = lazy(loadForm);

const coinsOf = (networks: readonly Network[]) => [
  ...new Map(networks.map((row) => [row.currency, row.currency_name])),
];

export default function WithdrawPage() {
  const { t } = useTranslation('withdraw');
  const [params] = useSearchParams();
  const { data, error, isPending, refetch } = useNetworks();
  useEffect(() => {
    // A failure is the page's own to tell, once the form is needed.
    loadForm().catch(() => undefined);
  }, []);
  const all = data?.filter(withdrawable);
  const currency = Number(params.get('currency') ?? all?.[0]?.currency);
  const networks = all?.filter((row) => row.currency === currency);
  const coin = networks?.[0]?.currency_name;
  const asked = params.get('network')?.toLowerCase();
  const named = networks?.find(({ network }) => network.toLowerCase() === asked);
  // Of one network there is nothing to choose.
  const chosen = named ?? (networks?.length === 1 ? networks[0] : undefined);
  return (
    <>
      <NavBar
        title={coin ? t('title', { coin }) : t('any')}
        right={
          <IconButton label={t('records')} onClick={() => navigateTo(PATHS.receiveWithdrawRecord, { tab: 'withdraw' })}>
            <ReceiptText size={20} />
          </IconButton>
        }
      />
      {error && <ErrorState compact={data !== undefined} error={error} onRetry={() => void refetch()} />}
      {isPending && <SkeletonRows rows={5} icon={false} />}
      {all && networks?.length === 0 && (
        <Empty
          title={t(all.length === 0 ? 'closed' : 'coinClosed')}
          note={t(all.length === 0 ? 'closedNote' : 'coinClosedNote')}
          action={{ label: t('otherCoin'), onClick: () => redirectTo(PATHS.select, { url: 'withdraw' }) }}
        />
      )}
      {all && networks && coin && (
        <PullRefresh onRefresh={refetch}>
          <div className={css.place}>
            <Select
              label={t('coin')}
              value={currency}
              options={coinsOf(all).map(([value, label]) => ({
                value,
                label,
                icon: <CoinIcon name={label} size={26} />,
              }))}
              onChange={(next) => redirectTo(PATHS.withdraw, { currency: next })}
            />
            <Select
              label={t('network')}
              value={chosen?.network ?? null}
              placeholder={t('chooseNetwork')}
              options={networks.map(({ network, title, withdraw }) => ({
                value: network,
                label: title === network ? network : `${network} · ${title}`,
                note: withdraw && <WithdrawBadge state={withdraw.state} />,
              }))}
              onChange={(network) => redirectTo(PATHS.withdraw, { currency, network })}
            />
          </div>
          {chosen ? (
            <Suspense fallback={<SkeletonRows rows={4} icon={false} />}>
              <WithdrawForm key={`${currency} ${chosen.network}`} network={chosen} />
            </Suspense>
          ) : (
            <p className={css.nothing}>{t('chooseNetworkNote')}</p>
          )}
        </PullRefresh>
      )}
    </>
  );
}

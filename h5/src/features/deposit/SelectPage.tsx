/** Which coin is deposited or withdrawn, and on which network: what the server takes, and what comes later. */
import { ReceiptText } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import {
  CoinIcon,
  Empty,
  Entry,
  ErrorState,
  IconButton,
  NavBar,
  PullRefresh,
  SearchBox,
  SkeletonRows,
} from '@/components/ui';
import { PATHS } from '@/config/paths';
import { navigateTo, switchTab } from '@/lib/navigation';
import { type Network, useNetworks } from './api/networks';
import { StateBadge } from './Banner';
import { type Entry as Coin, entriesOf, matches, withdrawable } from './coins';
import css from './Deposit.module.css';
import { WithdrawBadge } from './withdraw/Banner';

/** What is done with the coin that is chosen. */
type Aim = 'receive' | 'withdraw';

export default function SelectPage() {
  const { t } = useTranslation('deposit');
  const { t: w } = useTranslation('withdraw');
  const [params] = useSearchParams();
  const aim = params.get('url') === 'withdraw' ? 'withdraw' : 'receive';
  const records = aim === 'withdraw' ? { label: w('records'), query: { tab: 'withdraw' } } : { label: t('records') };
  return (
    <>
      <NavBar
        title={t('select.title')}
        right={
          <IconButton label={records.label} onClick={() => navigateTo(PATHS.receiveWithdrawRecord, records.query)}>
            <ReceiptText size={20} />
          </IconButton>
        }
      />
      <Coins aim={aim} />
    </>
  );
}

function Coins({ aim }: { aim: Aim }) {
  const { data, error, isPending, refetch } = useNetworks();
  const networks = aim === 'withdraw' ? data?.filter(withdrawable) : data;
  return (
    <PullRefresh onRefresh={refetch}>
      {error && <ErrorState compact={data !== undefined} error={error} onRetry={() => void refetch()} />}
      {isPending && <SkeletonRows rows={5} />}
      {networks && (networks.length > 0 ? <List networks={networks} aim={aim} /> : <Closed aim={aim} />)}
    </PullRefresh>
  );
}

function Closed({ aim }: { aim: Aim }) {
  const { t } = useTranslation('deposit');
  const { t: w } = useTranslation('withdraw');
  const texts =
    aim === 'withdraw'
      ? { title: w('closed'), note: w('closedNote') }
      : { title: t('select.closed'), note: t('select.closedNote') };
  return <Empty {...texts} action={{ label: t('toAssets'), onClick: () => switchTab(PATHS.assets) }} />;
}

function List({ networks, aim }: { networks: readonly Network[]; aim: Aim }) {
  const { t } = useTranslation('deposit');
  const [search, setSearch] = useState('');
  const coins = entriesOf(networks).filter((coin) => matches(coin, search));
  return (
    <>
      <div className={css.search}>
        <SearchBox label={t('select.search')} value={search} onChange={setSearch} />
      </div>
      {coins.length === 0 && (
        <Empty title={t('select.none')} action={{ label: t('select.all'), onClick: () => setSearch('') }} />
      )}
      <ul aria-label={t('select.title')}>
        {coins.map((coin) => (
          <li key={`${coin.coin} ${coin.network}`}>
            <CoinEntry entry={coin} aim={aim} />
          </li>
        ))}
      </ul>
    </>
  );
}

function CoinEntry({ entry: { coin, network, there }, aim }: { entry: Coin; aim: Aim }) {
  const { t } = useTranslation('deposit');
  const query = there && { currency: there.currency, network: there.network };
  const title = there && there.title !== network ? ` · ${there.title}` : '';
  return (
    <Entry to={query ? { path: PATHS[aim], query } : null} className={css.coin}>
      <CoinIcon name={coin} size={36} />
      <span className={css.body}>
        <b>{coin}</b>
        <span className={css.hint}>
          {t('network')} {network}
          {title}
        </span>
      </span>
      {there &&
        (aim === 'receive' ? (
          <StateBadge state={there.state} />
        ) : (
          there.withdraw && <WithdrawBadge state={there.withdraw.state} />
        ))}
    </Entry>
  );
}

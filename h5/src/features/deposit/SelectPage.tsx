/** Which coin is deposited, and on which network: what the server takes, and what comes later. */
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
import { navigateTo, redirectTo, switchTab } from '@/lib/navigation';
import { type DepositNetwork, useNetworks } from './api/deposits';
import { StateBadge } from './Banner';
import { type Entry as Coin, entriesOf, matches } from './coins';
import css from './Deposit.module.css';

export default function SelectPage() {
  const { t } = useTranslation('deposit');
  const [params] = useSearchParams();
  return (
    <>
      <NavBar
        title={t('select.title')}
        right={
          <IconButton label={t('records')} onClick={() => navigateTo(PATHS.receiveWithdrawRecord)}>
            <ReceiptText size={20} />
          </IconButton>
        }
      />
      {params.get('url') === 'withdraw' ? (
        <Empty
          title={t('withdrawSoon')}
          note={t('withdrawSoonNote')}
          action={{ label: t('toDeposit'), onClick: () => redirectTo(PATHS.select, { url: 'receive' }) }}
        />
      ) : (
        <Coins />
      )}
    </>
  );
}

function Coins() {
  const { t } = useTranslation('deposit');
  const { data, error, isPending, refetch } = useNetworks();
  return (
    <PullRefresh onRefresh={refetch}>
      {error && <ErrorState compact={data !== undefined} error={error} onRetry={() => void refetch()} />}
      {isPending && <SkeletonRows rows={5} />}
      {data &&
        (data.length > 0 ? (
          <List networks={data} />
        ) : (
          <Empty
            title={t('select.closed')}
            note={t('select.closedNote')}
            action={{ label: t('toAssets'), onClick: () => switchTab(PATHS.assets) }}
          />
        ))}
    </PullRefresh>
  );
}

function List({ networks }: { networks: readonly DepositNetwork[] }) {
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
            <CoinEntry entry={coin} />
          </li>
        ))}
      </ul>
    </>
  );
}

function CoinEntry({ entry: { coin, network, there } }: { entry: Coin }) {
  const { t } = useTranslation('deposit');
  const query = there && { currency: there.currency, network: there.network };
  const title = there && there.title !== network ? ` · ${there.title}` : '';
  return (
    <Entry to={query ? { path: PATHS.receive, query } : null} className={css.coin}>
      <CoinIcon name={coin} size={36} />
      <span className={css.body}>
        <b>{coin}</b>
        <span className={css.hint}>
          {t('network')} {network}
          {title}
        </span>
      </span>
      {there && <StateBadge state={there.state} />}
    </Entry>
  );
}

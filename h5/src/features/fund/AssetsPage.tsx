import { useQueryClient } from '@tanstack/react-query';
import {
  ArrowDownToLine,
  ArrowLeftRight,
  ArrowUpFromLine,
  CandlestickChart,
  Eye,
  EyeOff,
  type LucideIcon,
  ReceiptText,
  Repeat2,
} from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  Entry,
  ErrorState,
  IconButton,
  PullRefresh,
  Skeleton,
  SkeletonRows,
  Tabs,
  useDocumentTitle,
} from '@/components/ui';
import { PATHS } from '@/config/paths';
import { ACCOUNTS, type AccountName, useWallets } from '@/lib/api/wallets';
import { useFiat } from '@/lib/fiat';
import { formatPrice } from '@/lib/format';
import type { Query } from '@/lib/navigation';
import { HIDDEN, useHideBalances } from '@/lib/preferences';
import { AccountTab } from './AccountTab';
import css from './AssetsPage.module.css';
import { FuturesSummary } from './FuturesSummary';
import { Overview } from './Overview';
import { SecondsSummary } from './SecondsSummary';

type Tab = 'overview' | AccountName;

/** The first one stands out: it must be one that does something. */
const ACTIONS = [
  { key: 'transfer', icon: ArrowLeftRight, path: PATHS.transfer, query: {} },
  { key: 'flash', icon: Repeat2, path: PATHS.flashExchange, query: {} },
  { key: 'trade', icon: CandlestickChart, path: PATHS.currency, query: {} },
  { key: 'records', icon: ReceiptText, path: PATHS.assetsAllRecord, query: {} },
  { key: 'deposit', icon: ArrowDownToLine, path: PATHS.select, query: { url: 'receive' } },
  { key: 'withdraw', icon: ArrowUpFromLine, path: PATHS.select, query: { url: 'withdraw' } },
] as const satisfies readonly { key: string; icon: LucideIcon; path: string; query: Query }[];

export default function AssetsPage() {
  const { t } = useTranslation('fund');
  const { t: c } = useTranslation();
  const client = useQueryClient();
  const { wallets, error, refetch } = useWallets();
  const [tab, setTab] = useState<Tab>('overview');
  const [hidden, toggle] = useHideBalances();
  const fiat = useFiat();
  useDocumentTitle(t('title'));
  const worth = wallets && (tab === 'overview' ? wallets.worth : wallets.accounts[tab].worth);

  return (
    <PullRefresh onRefresh={() => client.invalidateQueries()}>
      <header className={css.top}>
        <div className={css.label}>
          <h1 className={css.title}>
            {tab === 'overview' ? t('total') : t('accountTotal', { account: c(`account.${tab}`) })}
          </h1>
          <IconButton label={c(hidden ? 'showBalances' : 'hideBalances')} className={css.eye} onClick={toggle}>
            {hidden ? <EyeOff size={17} /> : <Eye size={17} />}
          </IconButton>
        </div>
        <p className={`num ${css.total}`}>
          {worth === undefined ? (
            error ? (
              '--'
            ) : (
              <Skeleton width={200} height={38} />
            )
          ) : hidden ? (
            HIDDEN
          ) : (
            formatPrice(worth, 2)
          )}
          {worth !== undefined && !hidden && <small>USDT</small>}
        </p>
        <p className={`num ${css.fiat}`}>{worth === undefined || hidden ? '\u00a0' : fiat.approx(worth)}</p>
        <ul className={css.actions}>
          {ACTIONS.map(({ key, icon: Icon, path, query }) => (
            <li key={key}>
              <Entry to={{ path, query }} className={css.action}>
                <span className={css.round}>
                  <Icon size={20} strokeWidth={1.9} aria-hidden="true" />
                </span>
                {t(`actions.${key}`)}
              </Entry>
            </li>
          ))}
        </ul>
      </header>
      <Tabs
        label={t('accounts')}
        controls="balances"
        className={css.tabs}
        items={[
          { value: 'overview', label: t('overview') },
          ...ACCOUNTS.map((value) => ({ value, label: c(`account.${value}`) })),
        ]}
        value={tab}
        onChange={setTab}
      />
      {error && <ErrorState compact={wallets !== undefined} error={error} onRetry={() => void refetch()} />}
      <div id="balances" role="tabpanel" aria-label={tab === 'overview' ? t('overview') : c(`account.${tab}`)}>
        {!wallets && !error && <SkeletonRows rows={5} />}
        {wallets && tab === 'overview' && <Overview wallets={wallets} hidden={hidden} onOpen={setTab} />}
        {wallets && tab === 'lever' && <FuturesSummary positions={wallets.positions} hidden={hidden} />}
        {wallets && tab === 'micro' && <SecondsSummary />}
        {wallets && tab !== 'overview' && (
          <AccountTab key={tab} account={tab} balances={wallets.accounts[tab].balances} hidden={hidden} />
        )}
      </div>
    </PullRefresh>
  );
}

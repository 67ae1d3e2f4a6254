/**
 * Where a coin is sent to. The network comes first: nobody sees an address before it is chosen. A code and the address as a
 * text, what must be known before anything is sent, the account's other addresses, and what came.
 */
import { ReceiptText } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import {
  CoinIcon,
  Empty,
  ErrorState,
  IconButton,
  NavBar,
  OptionList,
  PullRefresh,
  Select,
  SkeletonRows,
} from '@/components/ui';
import { PATHS } from '@/config/paths';
import { formatAmount } from '@/lib/format';
import { navigateTo, redirectTo } from '@/lib/navigation';
import { AddressCard } from './AddressCard';
import { useAddresses, useLatestDeposits } from './api/deposits';
import { type Network, useNetworks } from './api/networks';
import { Banner, StateBadge } from './Banner';
import css from './Deposit.module.css';
import { DepositRow } from './DepositRow';
import { PendingDeposits } from './PendingDeposits';

const optionOf = (row: Network) => ({
  value: row.network,
  label: row.title === row.network ? row.network : `${row.network} · ${row.title}`,
  note: <StateBadge state={row.state} />,
  icon: <CoinIcon name={row.currency_name} size={26} />,
});

const toSelect = () => redirectTo(PATHS.select, { url: 'receive' });

export default function ReceivePage() {
  const { t } = useTranslation('deposit');
  const [params] = useSearchParams();
  const currency = Number(params.get('currency'));
  const { data, error, isPending, refetch } = useNetworks();
  const networks = data?.filter((row) => row.currency === currency);
  const coin = networks?.[0]?.currency_name;
  const asked = params.get('network')?.toLowerCase();
  const chosen = networks?.find(({ network }) => network.toLowerCase() === asked);
  const choose = (network: string) => redirectTo(PATHS.receive, { currency, network });
  return (
    <>
      <NavBar
        title={coin ? t('receive.title', { coin }) : t('receive.any')}
        right={
          <IconButton label={t('records')} onClick={() => navigateTo(PATHS.receiveWithdrawRecord)}>
            <ReceiptText size={20} />
          </IconButton>
        }
      />
      {error && <ErrorState compact={data !== undefined} error={error} onRetry={() => void refetch()} />}
      {isPending && <SkeletonRows rows={5} icon={false} />}
      {networks?.length === 0 && (
        <Empty
          title={t('receive.closed')}
          note={t('receive.closedNote')}
          action={{ label: t('receive.otherCoin'), onClick: toSelect }}
        />
      )}
      {networks && coin && !chosen && (
        <section className={css.choice} aria-label={t('receive.choose')}>
          <h2 className={css.heading}>{t('receive.choose')}</h2>
          <p className={css.hint}>{t('receive.chooseNote')}</p>
          <OptionList label={t('network')} value={null} options={networks.map(optionOf)} onChange={choose} />
        </section>
      )}
      {networks && chosen && (
        <Chosen key={chosen.network} network={chosen} networks={networks} onNetwork={choose} renew={refetch} />
      )}
    </>
  );
}

interface ChosenProps {
  network: Network;
  networks: readonly Network[];
  onNetwork(network: string): void;
  renew(): Promise<unknown>;
}

function Chosen({ network, networks, onNetwork, renew }: ChosenProps) {
  const { t } = useTranslation('deposit');
  const { data, error, isPending, refetch } = useAddresses(network);
  const latest = useLatestDeposits(network.currency);
  return (
    <PullRefresh onRefresh={() => Promise.all([renew(), refetch(), latest.refetch()])}>
      <div className={css.page}>
        <Select label={t('network')} value={network.network} options={networks.map(optionOf)} onChange={onNetwork} />
        <Banner state={network.state} />
      </div>
      {error && <ErrorState compact={data !== undefined} error={error} onRetry={() => void refetch()} />}
      {isPending && <SkeletonRows rows={5} icon={false} />}
      {data && <AddressCard network={network} addresses={data} />}
      <Facts network={network} />
      <PendingDeposits currency={network.currency} />
      <Latest coin={network.currency_name} latest={latest} />
    </PullRefresh>
  );
}

function Facts({ network }: { network: Network }) {
  const { t } = useTranslation('deposit');
  const { t: c } = useTranslation();
  const least = `${formatAmount(network.min_deposit)} ${network.currency_name}`;
  return (
    <section className={css.facts}>
      <dl className={css.lines}>
        <div>
          <dt>{t('facts.least')}</dt>
          <dd className="num">{least}</dd>
        </div>
        <div>
          <dt>{t('facts.confirmations')}</dt>
          <dd className="num">{network.confirmations}</dd>
        </div>
        <div>
          <dt>{t('facts.account')}</dt>
          <dd>{c('account.legal')}</dd>
        </div>
      </dl>
      <p className={css.hint}>{t('facts.below', { least })}</p>
    </section>
  );
}

function Latest({ coin, latest }: { coin: string; latest: ReturnType<typeof useLatestDeposits> }) {
  const { t } = useTranslation('deposit');
  const { data, error, isPending, refetch } = latest;
  return (
    <section>
      <h2 className={css.heading}>{t('latest', { coin })}</h2>
      {error && <ErrorState compact error={error} onRetry={() => void refetch()} />}
      {isPending && <SkeletonRows rows={2} />}
      {data &&
        (data.length > 0 ? (
          <ul aria-label={t('latest', { coin })}>
            {data.map((row) => (
              <li key={row.id}>
                <DepositRow row={row} />
              </li>
            ))}
          </ul>
        ) : (
          <p className={css.nothing}>{t('latestNone')}</p>
        ))}
    </section>
  );
}

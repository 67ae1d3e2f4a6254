import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { openMarket } from '@/components/market/openMarket';
import { Button, CoinIcon, ErrorState, NavBar, PullRefresh, Skeleton } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { useQuotes } from '@/lib/api/quotes';
import { ACCOUNTS, type AccountName, TRANSFER_ACCOUNTS, useWallets } from '@/lib/api/wallets';
import { addText, multiplyText } from '@/lib/decimalText';
import { useFiat } from '@/lib/fiat';
import { formatAmount } from '@/lib/format';
import { navigateTo } from '@/lib/navigation';
import { HIDDEN, useHideBalances } from '@/lib/preferences';
import css from './AssetsRecordPage.module.css';
import { useLog } from './api/log';
import { LogList } from './LogList';

/** One coin of one account: what there is of it and how it came about. */
export default function AssetsRecordPage() {
  const { t } = useTranslation('fund');
  const { t: c } = useTranslation();
  const [params] = useSearchParams();
  const type = params.get('type') ?? '';
  const account: AccountName = (ACCOUNTS as readonly string[]).includes(type) ? (type as AccountName) : 'change';
  const currency = Number(params.get('currency') ?? 0);
  const { wallets, error, refetch } = useWallets();
  const { data: quotes } = useQuotes();
  const [hidden] = useHideBalances();
  const fiat = useFiat();
  const log = useLog(currency, account);
  const balance = wallets?.accounts[account].balances.find((row) => row.currency === currency);
  const market = quotes?.find((quote) => quote.currency_id === currency);
  const show = (amount: string | undefined) =>
    amount === undefined ? error ? '--' : <Skeleton width={72} /> : hidden ? HIDDEN : formatAmount(amount);
  const total = balance && addText(balance.available, balance.locked);

  return (
    <>
      <NavBar title={balance ? `${balance.name} · ${c(`account.${account}`)}` : c(`account.${account}`)} />
      <PullRefresh onRefresh={() => Promise.all([refetch(), log.refetch()])}>
        {error && <ErrorState compact error={error} onRetry={() => void refetch()} />}
        <section className={css.card} aria-label={t('balance')}>
          <div className={css.head}>
            <CoinIcon name={balance?.name ?? '·'} logo={balance?.logo} size={36} />
            <div>
              <p className={`num ${css.total}`}>{show(total)}</p>
              <p className={`num ${css.worth}`}>
                {balance && total && !hidden ? fiat.approx(multiplyText(total, balance.price)) : '\u00a0'}
              </p>
            </div>
          </div>
          <dl className={css.parts}>
            <div>
              <dt>{t('available')}</dt>
              <dd className="num">{show(balance?.available)}</dd>
            </div>
            <div>
              <dt>{t('locked')}</dt>
              <dd className="num">{show(balance?.locked)}</dd>
            </div>
          </dl>
        </section>
        <div className={css.actions}>
          {(TRANSFER_ACCOUNTS as readonly string[]).includes(account) && (
            <Button tone="secondary" block onClick={() => navigateTo(PATHS.transfer, { currency, from: account })}>
              {t('actions.transfer')}
            </Button>
          )}
          {market && (
            <Button
              block
              onClick={() =>
                openMarket({
                  base: market.currency_name,
                  quote: market.legal_name,
                  baseId: market.currency_id,
                  quoteId: market.legal_id,
                })
              }
            >
              {t('tradePair', { pair: market.symbol })}
            </Button>
          )}
        </div>
        <h2 className={css.heading}>{t('records')}</h2>
        <LogList log={log} label={t('records')} />
      </PullRefresh>
    </>
  );
}

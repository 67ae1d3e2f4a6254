import { useQueryClient } from '@tanstack/react-query';
import { ArrowUpDown } from 'lucide-react';
import { use, useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  Button,
  CoinIcon,
  ConfirmDialog,
  cleanDecimal,
  IconButton,
  Input,
  PercentChips,
  Select,
  Spinner,
} from '@/components/ui';
import { TRANSFER_ACCOUNTS, type TransferAccount, WALLETS_KEY } from '@/lib/api/wallets';
import { formatAmount } from '@/lib/format';
import { useOnline } from '@/lib/online';
import { toast } from '@/lib/toast';
import { availableOf, holds, mayLeave, TRANSFER_COINS_KEY, type TransferCoin, useTransfer } from './api/transfer';
import css from './TransferPage.module.css';
import { initialForm, repaired, type TransferForm, withAccount } from './transferForm';

export type Arithmetic = typeof import('./transferAmounts');

interface Props {
  coins: readonly TransferCoin[];
  initial: Record<string, string>;
  arithmetic: Promise<Arithmetic>;
}

export function FundTransfer({ coins, initial, arithmetic }: Props) {
  const { t } = useTranslation('fund');
  const { t: c } = useTranslation();
  const { after, problemOf, shareOf } = use(arithmetic);
  const client = useQueryClient();
  const [form, setForm] = useState<TransferForm>(() => initialForm(initial, coins));
  const [touched, setTouched] = useState(false);
  const online = useOnline();
  const [confirming, setConfirming] = useState(false);
  const { phase, send } = useTransfer();
  const coin = coins.find((entry) => entry.id === form.currency) ?? coins[0];
  if (!coin) return null;

  const available = availableOf(coin, form.from);
  const most = mayLeave(coin, form.from);
  const problem = problemOf(form, coin);
  const result = after(form, coin);
  const accounts = TRANSFER_ACCOUNTS.filter((account) => holds(coin, account));
  const options = accounts.map((value) => ({
    value,
    label: c(`account.${value}`),
    note: `${formatAmount(availableOf(coin, value))} ${coin.name}`,
  }));

  const change = (patch: Partial<TransferForm>) => setForm(repaired({ ...form, ...patch }, coins));
  const chooseAccount = (side: 'from' | 'to') => (account: TransferAccount) =>
    setForm(withAccount(form, side, account));

  function fill(percent: number) {
    setTouched(true);
    change({ amount: shareOf(most, percent) });
  }

  async function submit(name: string) {
    const label = t('transfer.summary', {
      amount: `${form.amount} ${name}`,
      from: c(`account.${form.from}`),
      to: c(`account.${form.to}`),
    });
    const outcome = await send(
      { currency_id: form.currency, number: form.amount, from_field: form.from, to_field: form.to },
      label,
    );
    if (!outcome) return;
    setConfirming(false);
    // Whatever became of it, the balances are read again: they are what counts.
    void client.invalidateQueries({ queryKey: TRANSFER_COINS_KEY });
    void client.invalidateQueries({ queryKey: WALLETS_KEY });
    void client.invalidateQueries({ queryKey: ['paged'] });
    if (outcome.kind === 'done') {
      toast.success(t('transfer.done'));
      change({ amount: '' });
      setTouched(false);
    } else if (outcome.kind === 'not_received') {
      toast(c('notReceived'));
    }
  }

  return (
    <form
      className={css.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        setTouched(true);
        if (!problem) setConfirming(true);
      }}
    >
      <div className={css.route}>
        <div className={css.sides}>
          <Select
            look="inline"
            className={css.side}
            label={t('transfer.from')}
            value={form.from}
            options={options}
            onChange={chooseAccount('from')}
          />
          <Select
            look="inline"
            className={css.side}
            label={t('transfer.to')}
            value={form.to}
            options={options}
            onChange={chooseAccount('to')}
          />
        </div>
        <IconButton
          label={t('transfer.swap')}
          className={css.swap}
          onClick={() => setForm({ ...form, from: form.to, to: form.from })}
        >
          <ArrowUpDown size={18} />
        </IconButton>
      </div>
      <Select
        label={t('coin')}
        value={form.currency}
        onChange={(currency) => change({ currency, amount: '' })}
        options={coins.map((entry) => ({
          value: entry.id,
          label: entry.name,
          icon: <CoinIcon name={entry.name} size={26} />,
          note: formatAmount(availableOf(entry, form.from)),
        }))}
      />
      <Input
        label={t('transfer.amount')}
        inputMode="decimal"
        autoComplete="off"
        placeholder="0.00"
        className={css.amount}
        value={form.amount}
        onChange={(event) => change({ amount: cleanDecimal(event.target.value) })}
        onBlur={() => setTouched(form.amount !== '')}
        error={touched && problem ? t(`transfer.problem.${problem}`) : undefined}
        suffix={
          <>
            <span>{coin.name}</span>
            <Button tone="ghost" size="s" className={css.all} onClick={() => fill(100)}>
              {c('all')}
            </Button>
          </>
        }
        hint={
          <span className="num">
            {t('available')} {formatAmount(available)} {coin.name}
            {most !== available && ` · ${t('transfer.mayLeave', { amount: formatAmount(most), coin: coin.name })}`}
          </span>
        }
      />
      <PercentChips label={t('transfer.share')} onChange={fill} />
      <Button type="submit" size="l" block loading={phase !== 'idle'} disabled={!online} throttleMs={1000}>
        {online ? t('transfer.submit') : c('error.offline')}
      </Button>
      {phase === 'checking' && <Checking />}
      <ConfirmDialog
        open={confirming && (online || phase !== 'idle')}
        title={t('transfer.confirmTitle')}
        loading={phase !== 'idle'}
        onClose={() => setConfirming(false)}
        onConfirm={() => void submit(coin.name)}
      >
        <p className={`num ${css.big}`}>
          {formatAmount(form.amount || '0')} <small>{coin.name}</small>
        </p>
        <dl className={css.review}>
          <div>
            <dt>{t('transfer.from')}</dt>
            <dd>{c(`account.${form.from}`)}</dd>
          </div>
          <div>
            <dt>{t('transfer.to')}</dt>
            <dd>{c(`account.${form.to}`)}</dd>
          </div>
          <div>
            <dt>{t('transfer.after', { account: c(`account.${form.from}`) })}</dt>
            <dd className="num">{formatAmount(result.from)}</dd>
          </div>
          <div>
            <dt>{t('transfer.after', { account: c(`account.${form.to}`) })}</dt>
            <dd className="num">{formatAmount(result.to)}</dd>
          </div>
        </dl>
        {phase === 'checking' && <Checking />}
      </ConfirmDialog>
    </form>
  );
}

function Checking() {
  const { t } = useTranslation();
  return (
    <p role="status" className={css.checking}>
      <Spinner size={16} />
      {t('checking')}
    </p>
  );
}

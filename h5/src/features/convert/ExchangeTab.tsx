import { ArrowLeftRight } from 'lucide-react';
import { lazy, Suspense, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  Button,
  CoinIcon,
  cleanDecimal,
  Empty,
  ErrorState,
  IconButton,
  Input,
  PercentChips,
  Select,
  Skeleton,
  SkeletonRows,
} from '@/components/ui';
import { trimZeros } from '@/lib/decimalText';
import { formatAmount, formatPercent } from '@/lib/format';
import { useOnline } from '@/lib/online';
import { useBarred } from '@/lib/session';
import { BarredNotice } from '@/trading';
import { outcomeOf, problemOf, ratesOf, shareOf } from './amounts';
import { type Coin, type Limits, useConvertible, useQuote } from './api/convert';
import type { Offer } from './ExchangeSheet';
import { initialForm, swapped, withCoin } from './exchangeForm';
import css from './FlashExchangePage.module.css';
import { Line, Lines } from './Lines';
import { QuoteRing } from './QuoteRing';

const ExchangeSheet = lazy(() => import('./ExchangeSheet'));

interface Props {
  initial: Readonly<Record<string, string>>;
}

export function ExchangeTab({ initial }: Props) {
  const { t } = useTranslation('convert');
  const { coins, data, error, isPending, refetch } = useConvertible();
  return (
    <>
      {error && <ErrorState compact={coins !== undefined} error={error} onRetry={() => void refetch()} />}
      {isPending && <SkeletonRows rows={4} icon={false} />}
      {coins &&
        data &&
        (coins.length > 1 ? (
          <Exchange initial={initial} coins={coins} limits={data} />
        ) : (
          <Empty title={t('noCoins')} />
        ))}
    </>
  );
}

interface ExchangeProps extends Props {
  coins: readonly Coin[];
  limits: Limits;
}

function Exchange({ initial, coins, limits }: ExchangeProps) {
  const { t } = useTranslation('convert');
  const { t: c } = useTranslation();
  const [form, setForm] = useState(() => initialForm(initial, coins));
  const [touched, setTouched] = useState(false);
  const [offer, setOffer] = useState<Offer>();
  const [confirming, setConfirming] = useState(false);
  const online = useOnline();
  const barred = useBarred('flash_exchange');
  const notice = useId();
  const { data: quote, error, refetch } = useQuote(form.from, form.to, !confirming && !barred);
  const [from, to] = [coins.find(({ id }) => id === form.from), coins.find(({ id }) => id === form.to)];
  if (!from || !to) return null;

  const problem = quote ? problemOf(form.amount, from.available, quote, limits) : null;
  const outcome = quote && outcomeOf(form.amount, quote);
  const rates = quote && ratesOf(quote);
  const options = coins.map((coin) => ({
    value: coin.id,
    label: coin.name,
    icon: <CoinIcon name={coin.name} logo={coin.logo} size={24} />,
    note: formatAmount(coin.available),
  }));
  const range = { min: formatAmount(limits.min), max: formatAmount(limits.max) };

  function fill(percent: number) {
    if (!quote || !from) return;
    setTouched(true);
    setForm({ ...form, amount: shareOf(from.available, percent, quote, limits) });
  }

  return (
    <form
      className={css.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        setTouched(true);
        if (!quote || problem || barred) return;
        setOffer({ id: (offer?.id ?? 0) + 1, from, to, number: trimZeros(form.amount) });
        setConfirming(true);
      }}
    >
      <BarredNotice product="flash_exchange" id={notice} />
      <div className={css.pair}>
        <Select
          label={t('from')}
          value={form.from}
          options={options}
          onChange={(id) => setForm(withCoin(form, 'from', id))}
        />
        <IconButton
          label={t('swap')}
          className={css.swap}
          onClick={() => {
            setTouched(false);
            setForm(swapped(form));
          }}
        >
          <ArrowLeftRight size={18} />
        </IconButton>
        <Select
          label={t('to')}
          value={form.to}
          options={options}
          onChange={(id) => setForm(withCoin(form, 'to', id))}
        />
      </div>
      <Input
        label={t('amount')}
        inputMode="decimal"
        autoComplete="off"
        placeholder="0.00"
        className={css.amount}
        value={form.amount}
        onChange={(event) => setForm({ ...form, amount: cleanDecimal(event.target.value) })}
        onBlur={() => setTouched(form.amount !== '')}
        error={touched && problem ? t(`problem.${problem}`, range) : undefined}
        suffix={
          <>
            <span>{from.name}</span>
            <Button tone="ghost" size="s" className={css.all} disabled={!quote} onClick={() => fill(100)}>
              {c('all')}
            </Button>
          </>
        }
        hint={<span className="num">{t('available', { amount: formatAmount(from.available), coin: from.name })}</span>}
      />
      <PercentChips label={t('share')} onChange={fill} disabled={!quote} />
      {!barred && (
        <section className={css.quote} aria-label={t('gets')}>
          {error && <ErrorState compact error={error} onRetry={() => void refetch()} />}
          <div className={css.gets}>
            <span>{t('gets')}</span>
            <output className="num">
              {outcome ? formatAmount(outcome.gets) : error ? '--' : <Skeleton width={120} height={28} />}
              <small> {to.name}</small>
            </output>
          </div>
          {quote && rates && outcome && !error && (
            <Lines>
              <Line name={t('rate')}>
                1 {from.name} = {formatAmount(rates.quoted, 20)} {to.name}
                <QuoteRing untilMs={quote.untilMs} />
              </Line>
              <Line name={t('index')}>
                1 {from.name} = {formatAmount(rates.index, 20)} {to.name}
              </Line>
              <Line name={t('spread')}>{formatPercent(quote.spread, 2)}</Line>
              <Line name={t('fee', { percent: formatPercent(quote.fee, 2) })}>
                {formatAmount(outcome.fee)} {from.name}
              </Line>
              <Line name={t('pays')}>
                {formatAmount(outcome.pays)} {from.name}
              </Line>
              <Line name={t('counterparty')}>{t('house')}</Line>
            </Lines>
          )}
        </section>
      )}
      <Button
        type="submit"
        size="l"
        block
        disabled={!online || !quote || error !== null || barred}
        aria-describedby={barred ? notice : undefined}
        throttleMs={1000}
      >
        {online ? t('submit') : c('error.offline')}
      </Button>
      <p className={css.note}>{t('limits', range)}</p>
      {offer && (
        <Suspense>
          <ExchangeSheet
            key={offer.id}
            offer={offer}
            open={confirming && !barred}
            onClose={() => setConfirming(false)}
            onDone={() => {
              setConfirming(false);
              setTouched(false);
              setForm({ ...form, amount: '' });
            }}
          />
        </Suspense>
      )}
    </form>
  );
}

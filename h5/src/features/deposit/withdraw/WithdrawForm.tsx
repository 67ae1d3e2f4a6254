import { ChevronDown } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useEffect, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, cleanDecimal, ErrorState, Input, Skeleton } from '@/components/ui';
import { formatAmount } from '@/lib/format';
import { serverNow } from '@/lib/market';
import { useOnline } from '@/lib/online';
import { Address } from '../Address';
import { type SavedAddress, useBook } from '../api/book';
import type { Network } from '../api/networks';
import { useQuote } from '../api/quote';
import css from '../Deposit.module.css';
import { mostOf, problemOf, sent } from './amounts';
import { PauseBanner, StateBanner } from './Banner';
import type { Offer } from './ConfirmSheet';
import { useProblemText } from './problemText';
import { Terms } from './Terms';

const BookSheet = lazy(() => import('./BookSheet'));
const ConfirmSheet = lazy(() => import('./ConfirmSheet'));

/** A pause in typing that is long enough to ask for terms. */
const TYPED_MS = 350;

function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), TYPED_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

/** To which address of the book how much is paid, and at which terms. */
export default function WithdrawForm({ network }: { network: Network }) {
  const { t } = useTranslation('withdraw');
  const { t: c } = useTranslation();
  const problemText = useProblemText();
  const online = useOnline();
  const { currency, currency_name: coin } = network;
  const book = useBook();
  const [to, setTo] = useState<SavedAddress>();
  const [amount, setAmount] = useState('');
  const [tried, setTried] = useState(false);
  const [touched, setTouched] = useState(false);
  const [picking, setPicking] = useState(false);
  const [offer, setOffer] = useState<Offer>();
  const [confirming, setConfirming] = useState(false);
  const place = { currency, network: network.network };
  const number = useSettled(sent(amount));
  const fields = { ...place, ...(number && { number }), ...(to && { address: to.address }) };
  const { data: quote, error, refetch } = useQuote(fields, !confirming);

  const here = (book.data ?? []).filter((row) => row.currency === currency && row.network === network.network);
  // Those that may be used first.
  const addresses = here.toSorted(
    (a, b) => Number(a.usable_at_ms > serverNow()) - Number(b.usable_at_ms > serverNow()),
  );
  const problem = quote ? problemOf(amount, quote) : null;
  const state = quote?.state ?? network.withdraw?.state ?? 'closed';
  const stopped = state === 'closed' || state === 'halted' || (quote?.paused_until_ms ?? 0) > serverNow();

  function submit() {
    setTried(true);
    setTouched(true);
    if (!quote || problem || !to) return;
    setOffer({ id: (offer?.id ?? 0) + 1, ...place, title: network.title, number: sent(amount), to });
    setConfirming(true);
  }

  return (
    <form
      className={css.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <StateBanner state={state} />
      {quote && <PauseBanner untilMs={quote.paused_until_ms} />}
      <Field
        label={t('address')}
        problem={tried && !to ? t('problem.address') : undefined}
        onPick={() => setPicking(true)}
      >
        {to ? (
          <>
            {to.remark && <span className={css.hint}>{to.remark}</span>}
            <Address text={to.address} />
          </>
        ) : (
          <span className={css.hint}>{t('chooseAddress')}</span>
        )}
      </Field>
      <Input
        label={t('amount')}
        inputMode="decimal"
        autoComplete="off"
        placeholder="0.00"
        className={css.amount}
        value={amount}
        error={touched && problem && quote ? problemText(problem, quote) : undefined}
        onChange={(event) => setAmount(cleanDecimal(event.target.value))}
        onBlur={() => setTouched(amount !== '')}
        suffix={
          <>
            <span>{coin}</span>
            <Button
              tone="ghost"
              size="s"
              disabled={!quote}
              onClick={() => {
                if (!quote) return;
                setAmount(mostOf(quote));
                setTouched(true);
              }}
            >
              {c('all')}
            </Button>
          </>
        }
        hint={
          <span className="num">
            {quote ? t('available', { amount: formatAmount(quote.available), coin }) : '\u00a0'}
          </span>
        }
      />
      <section className={css.facts} aria-label={t('terms')}>
        {error && <ErrorState compact error={error} onRetry={() => void refetch()} />}
        {quote ? <Terms quote={quote} limits /> : !error && <Skeleton height={150} />}
        {quote?.inside && <p className={css.hint}>{t('inside')}</p>}
      </section>
      <Button type="submit" size="l" block disabled={!online || !quote || stopped} throttleMs={1000}>
        {online ? t('submit') : c('error.offline')}
      </Button>
      <Suspense>
        {(picking || addresses.length > 0) && (
          <BookSheet
            {...place}
            open={picking}
            book={book}
            addresses={addresses}
            chosen={to?.id}
            onChoose={(row) => {
              setTo(row);
              setPicking(false);
            }}
            onClose={() => setPicking(false)}
          />
        )}
        {offer && <ConfirmSheet key={offer.id} offer={offer} open={confirming} onClose={() => setConfirming(false)} />}
      </Suspense>
    </form>
  );
}

interface FieldProps {
  label: string;
  problem: string | undefined;
  onPick(): void;
  children: ReactNode;
}

/** Looks like an input; pressing it opens a choice. */
function Field({ label, problem, onPick, children }: FieldProps) {
  const id = useId();
  return (
    <div className={css.field}>
      <span id={id} className={css.label}>
        {label}
      </span>
      <button
        type="button"
        id={`${id}-button`}
        aria-labelledby={`${id} ${id}-button`}
        aria-haspopup="dialog"
        aria-describedby={problem ? `${id}-problem` : undefined}
        className={css.picked}
        data-invalid={problem ? true : undefined}
        onClick={onPick}
      >
        <span className={css.pickedText}>{children}</span>
        <ChevronDown size={16} aria-hidden="true" />
      </button>
      {problem && (
        <p id={`${id}-problem`} role="alert" className={css.problem}>
          {problem}
        </p>
      )}
    </div>
  );
}

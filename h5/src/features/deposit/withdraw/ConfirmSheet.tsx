/** What is about to be confirmed, at the server's own figures: these very fields are what a proof is for. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PayPasswordField, SecondCode } from '@/components/safe';
import { Button, ErrorState, Sheet, SkeletonRows, Spinner, Tabs } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { isComplete } from '@/lib/api/safe';
import { formatAmount } from '@/lib/format';
import { serverNow } from '@/lib/market';
import { navigateTo, redirectTo } from '@/lib/navigation';
import { useOnline } from '@/lib/online';
import { toast } from '@/lib/toast';
import { Address } from '../Address';
import type { SavedAddress } from '../api/book';
import { useFirmQuote, type WithdrawQuote } from '../api/quote';
import { useWithdraw } from '../api/withdraw';
import css from '../Deposit.module.css';
import { problemOf } from './amounts';
import { PauseBanner, StateBanner, Waits } from './Banner';
import { useProblemText } from './problemText';
import { Line, Terms } from './Terms';

export interface Offer {
  id: number;
  currency: number;
  network: string;
  /** Of the network. */
  title: string;
  number: string;
  to: SavedAddress;
}

interface Props {
  offer: Offer;
  open: boolean;
  onClose(): void;
}

const WAYS = ['code', 'password'] as const;
type Way = (typeof WAYS)[number];

/** With what it may be confirmed; nothing while the account has none of it. */
function waysOf({ methods }: WithdrawQuote): Way[] {
  const has = {
    code: methods.some((method) => method !== 'pay_password'),
    password: methods.includes('pay_password'),
  };
  return WAYS.filter((way) => has[way]);
}

export default function ConfirmSheet({ offer, open, onClose }: Props) {
  const { t } = useTranslation('withdraw');
  const { t: c } = useTranslation();
  const online = useOnline();
  const problemText = useProblemText();
  const { currency, network, number, to } = offer;
  const {
    data: quote,
    error,
    refetch,
  } = useFirmQuote(offer.id, { currency, network, number, address: to.address }, open);
  const { busy, checking, withdraw } = useWithdraw();
  const [text, setText] = useState('');
  const [tried, setTried] = useState(false);
  const [changed, setChanged] = useState(false);
  const [told, setTold] = useState('');
  const [chosen, setChosen] = useState<Way>();
  const ways = quote ? waysOf(quote) : [];
  const way = ways.find((name) => name === chosen) ?? ways[0];
  const by = { hasFactor: way === 'code', text };

  async function confirm(terms: WithdrawQuote) {
    setTried(true);
    setTold('');
    if (!isComplete(by)) return;
    const amount = { amount: formatAmount(number), coin: terms.currency_name };
    const result = await withdraw(terms, to.address, by, t('confirm.summary', amount));
    if (!result) return;
    if (by.hasFactor && (result.kind !== 'refused' || result.spent)) {
      setText('');
      setTried(false);
    }
    switch (result.kind) {
      case 'done':
        toast.success(t('told.pending', amount));
        redirectTo(PATHS.receiveWithdrawRecord, { tab: 'withdraw', id: result.id });
        return;
      case 'changed':
        setChanged(true);
        await refetch();
        return;
      case 'not_received':
        setTold(c('notReceived'));
        await refetch();
        return;
      case 'refused':
        setTold(result.why || c('error.unknown'));
        // A pause, a stop or another way to confirm: the quote tells more of it than the refusal.
        if (result.spent) setChanged((await refetch()).data?.version !== terms.version);
    }
  }

  const problem = quote && problemOf(number, quote);
  const stopped =
    !quote ||
    quote.state === 'closed' ||
    quote.state === 'halted' ||
    Math.max(quote.paused_until_ms, quote.usable_at_ms) > serverNow();
  const wrong = told || (quote && problem ? problemText(problem, quote) : '');

  return (
    <Sheet
      open={open}
      onClose={() => {
        if (!busy) onClose();
      }}
      title={t('confirm.title')}
      footer={
        <Button
          block
          size="l"
          loading={busy}
          disabled={!online || stopped || problem !== null || error !== null || !way}
          throttleMs={1000}
          onClick={quote && (() => void confirm(quote))}
        >
          {online ? t('confirm.submit') : c('error.offline')}
        </Button>
      }
    >
      {error && <ErrorState compact={quote !== undefined} error={error} onRetry={() => void refetch()} />}
      {!quote && !error && <SkeletonRows rows={4} icon={false} />}
      {quote && (
        <div className={css.confirm}>
          <p className={`num ${css.big}`}>
            {formatAmount(number)} <small>{quote.currency_name}</small>
          </p>
          {changed && (
            <p role="status" className={css.renewed}>
              {t('confirm.changed')}
            </p>
          )}
          <StateBanner state={quote.state} />
          <PauseBanner untilMs={quote.paused_until_ms} />
          <Terms quote={quote} />
          <dl className={css.lines}>
            <Line name={t('network')}>{offer.title === network ? network : `${network} · ${offer.title}`}</Line>
            {to.remark && <Line name={t('remark')}>{to.remark}</Line>}
          </dl>
          <div className={css.destination}>
            <span className={css.label}>{t('address')}</span>
            <Address text={to.address} />
            <Waits untilMs={quote.usable_at_ms} />
            <p className={css.hint}>{t('confirm.compare')}</p>
          </div>
          {quote.inside && <p className={css.hint}>{t('inside')}</p>}
          {ways.length > 1 && way && (
            <Tabs<Way>
              look="segment"
              label={t('confirm.by')}
              items={ways.map((value) => ({ value, label: t(`confirm.way.${value}`) }))}
              value={way}
              onChange={(next) => {
                setChosen(next);
                setText('');
                setTried(false);
              }}
            />
          )}
          {way === 'code' && (
            <SecondCode value={text} onChange={setText} tried={tried} recovery={quote.methods.includes('recovery')} />
          )}
          {way === 'password' && <PayPasswordField value={text} onChange={setText} tried={tried} />}
          {!way && (
            <>
              <p className={css.problem}>{t('confirm.noWay')}</p>
              <Button tone="secondary" onClick={() => navigateTo(PATHS.payPassword)}>
                {t('confirm.setPassword')}
              </Button>
            </>
          )}
        </div>
      )}
      <p role="alert" className={css.refused}>
        {wrong}
      </p>
      {checking && (
        <p role="status" className={css.checking}>
          <Spinner size={16} />
          {c('checking')}
        </p>
      )}
    </Sheet>
  );
}

/** What is about to be exchanged, at the server's own figures: the quote shown is the one that is accepted. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, ErrorState, Sheet, SkeletonRows, Spinner } from '@/components/ui';
import { tellOutcome } from '@/lib/api/tellOutcome';
import { addText } from '@/lib/decimalText';
import { formatAmount, formatPercent } from '@/lib/format';
import { useOnline } from '@/lib/online';
import type { Coin } from './api/convert';
import { PRICE_CHANGED, useConvert, useFirmQuote, useRenewal } from './api/exchange';
import css from './FlashExchangePage.module.css';
import { Line, Lines } from './Lines';
import { QuoteRing } from './QuoteRing';

export interface Offer {
  id: number;
  from: Coin;
  to: Coin;
  number: string;
}

interface Props {
  offer: Offer;
  open: boolean;
  onClose(): void;
  onDone(): void;
}

export default function ExchangeSheet({ offer, open, onClose, onDone }: Props) {
  const { t } = useTranslation('convert');
  const { t: c } = useTranslation();
  const online = useOnline();
  const renew = useRenewal();
  const { phase, send } = useConvert();
  const { from, to, number } = offer;
  const busy = phase !== 'idle';
  const pair = { from_currency_id: from.id, to_currency_id: to.id };
  // The quote that is on its way stays in sight until its outcome is known.
  const { data: quote, error, refetch } = useFirmQuote(offer.id, { ...pair, number }, open && !busy);
  const [first, setFirst] = useState<string>();
  if (quote && first === undefined) setFirst(quote.quote_id);
  const gets = quote?.to_amount ?? '0';
  const fee = quote?.fee_amount ?? '0';

  async function exchange(quoteId: string) {
    const label = t('summary', { amount: `${number} ${from.name}`, coin: to.name });
    const outcome = await send({ ...pair, number, quote_id: quoteId }, label);
    if (!outcome) return;
    const done = t('done', { amount: formatAmount(gets), coin: to.name });
    if (tellOutcome(outcome, { done, notReceived: c('notReceived') })) {
      onDone();
      renew();
    } else if (outcome.kind !== 'refused' || outcome.code === PRICE_CHANGED) {
      // Its quote is over: what is shown next is a new one.
      void refetch();
    }
  }

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
          disabled={!online || !quote || error !== null}
          throttleMs={1000}
          onClick={quote && (() => void exchange(quote.quote_id))}
        >
          {online ? t('submit') : c('error.offline')}
        </Button>
      }
    >
      {error && <ErrorState compact error={error} onRetry={() => void refetch()} />}
      {!quote && !error && <SkeletonRows rows={4} icon={false} />}
      {quote && !error && (
        <>
          <p className={`num ${css.swapFigures}`}>
            <span>
              {formatAmount(number)} <small>{from.name}</small>
            </span>
            <span aria-hidden="true">→</span>
            <b>
              {formatAmount(gets)} <small>{to.name}</small>
            </b>
          </p>
          {quote.quote_id !== first && (
            <p role="status" className={css.renewed}>
              {t('confirm.renewed')}
            </p>
          )}
          <Lines>
            <Line name={t('confirm.holds')}>
              <QuoteRing untilMs={quote.untilMs} />
            </Line>
            <Line name={t('spread')}>{formatPercent(quote.spread, 2)}</Line>
            <Line name={t('fee', { percent: formatPercent(quote.fee, 2) })}>
              {formatAmount(fee)} {from.name}
            </Line>
            <Line name={t('pays')}>
              {formatAmount(addText(number, fee))} {from.name}
            </Line>
            <Line name={t('counterparty')}>{t('house')}</Line>
          </Lines>
          <p className={css.note}>{t('confirm.note')}</p>
        </>
      )}
      {phase === 'checking' && (
        <p role="status" className={css.checking}>
          <Spinner size={16} />
          {c('checking')}
        </p>
      )}
    </Sheet>
  );
}

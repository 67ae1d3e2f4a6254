import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, Sheet } from '@/components/ui';
import type { MoneyPhase, Outcome } from '@/lib/api/money';
import { tellOutcome } from '@/lib/api/tellOutcome';
import type { Decimal } from '@/lib/decimal';
import { formatAmount, formatPercent, formatPrice } from '@/lib/format';
import { useBook } from '@/lib/market';
import { judgingPrices } from '../market/prices';
import { Fact, Facts } from '../orders/Facts';
import { asks, KINDS, kindOf, type OrderFields, type PlaceCall } from './kinds';
import { orderParams } from './order';
import css from './PreviewSheet.module.css';
import { PreviewSteps } from './PreviewSteps';
import { type MarketGate, ticketProblems } from './problems';
import { problemText } from './problemText';
import type { Funds, TicketState } from './reducer';
import type { PairRules } from './rules';
import { summarize, type TicketSummary } from './summary';
import { Warning } from './Warning';

/** A product's way to send an order: a hook, called with the call that the order's kind goes by. */
export type UsePlace = (call: PlaceCall) => {
  phase: MoneyPhase;
  send(fields: OrderFields, label: string): Promise<Outcome | null>;
};

interface Props {
  open: boolean;
  ticket: TicketState;
  rules: PairRules;
  funds: Funds;
  gate: MarketGate;
  /** Sends an order by one of the product's calls. */
  usePlace: UsePlace;
  onClose(): void;
  onPlaced(): void;
}

/** Enough levels that an order of ordinary size is estimated to its end. */
const ESTIMATE_DEPTH = 200;
const HIGH_SLIPPAGE_PERCENT = 0.5;

/** What will happen, before it happens: from the live book while the sheet is open. */
export function PreviewSheet(props: Props) {
  const { t } = useTranslation('trade');
  const { open, ticket, usePlace, onClose } = props;
  const request = usePlace(KINDS[ticket.kind].call);
  const busy = request.phase !== 'idle';
  return (
    <Sheet open={open} onClose={busy ? () => {} : onClose} title={t(`preview.title.${ticket.side}`)}>
      {open && <Preview {...props} phase={request.phase} send={request.send} />}
    </Sheet>
  );
}

type Request = ReturnType<UsePlace>;

function Preview({ ticket, rules, funds, gate, onPlaced, phase, send }: Props & Request) {
  const { t } = useTranslation(['trade', 'common']);
  const book = useBook(rules.symbol, ESTIMATE_DEPTH, 0);
  const buy = ticket.side === 'buy';
  const opposite = (buy ? book?.asks : book?.bids) ?? [];
  const prices = judgingPrices(rules.symbol);
  const summary = summarize({ ticket, rules, funds, opposite, ...prices });
  const available = buy ? funds.quote : funds.base;
  const [told] = useState(summary.waiting?.name);
  // Until the deep book is there, an empty one would be blamed on the market.
  const problems = book ? ticketProblems({ ticket, rules, summary, gate, available, told, ...prices }) : [];

  async function place() {
    const label = t('orders.label', {
      side: t(`ticket.${ticket.side}`),
      amount: formatAmount(summary.amount ?? summary.spend ?? 0),
      pair: rules.symbol,
    });
    const outcome = await send(orderParams(ticket, summary, rules), label);
    if (tellOutcome(outcome, { done: t('orders.placed'), notReceived: t('common:notReceived') })) onPlaced();
  }

  return (
    <>
      <PreviewSteps ticket={ticket} rules={rules} summary={summary} />
      <Facts>
        <Figures ticket={ticket} rules={rules} summary={summary} />
      </Facts>
      {kindOf(ticket).atMarket && book && !summary.estimate.complete && <Warning>{t('preview.partial')}</Warning>}
      {summary.estimate.slippagePercent.gt(HIGH_SLIPPAGE_PERCENT) && <Warning>{t('preview.slippageHigh')}</Warning>}
      {problems.map((problem) => (
        <Warning key={`${problem.field} ${problem.code}`}>{problemText(problem, t)}</Warning>
      ))}
      {phase === 'checking' && <Warning>{t('preview.checking')}</Warning>}
      <p className={css.note}>{t(summary.waiting ? 'preview.estimateWaiting' : 'preview.estimate')}</p>
      <Button
        block
        size="l"
        tone={buy ? 'up' : 'down'}
        loading={phase !== 'idle'}
        disabled={!book || problems.length > 0}
        throttleMs={1200}
        onClick={() => void place()}
      >
        {t(`preview.send.${ticket.side}`)}
      </Button>
    </>
  );
}

interface FiguresProps {
  ticket: TicketState;
  rules: PairRules;
  summary: TicketSummary;
}

function Figures({ ticket, rules, summary }: FiguresProps) {
  const { t } = useTranslation('trade');
  const { base, quote } = rules;
  const { estimate, waiting } = summary;
  // A list has two values, and what a trailing order is worth is not known before it is triggered.
  const kind = kindOf(ticket);
  const oneValue = !kind.pair && !asks(kind, 'trail');
  const amount = (value: Decimal, asset: string) => `${formatAmount(value)} ${asset}`;
  const price = (value: Decimal) => `${formatPrice(value, rules.priceDecimals)} ${quote}`;
  return (
    <>
      {summary.price && !waiting && <Fact name={t('preview.price')}>{price(summary.price)}</Fact>}
      {waiting?.trailsTo && <Fact name={t('preview.trailsTo')}>{price(waiting.trailsTo)}</Fact>}
      {summary.spend ? (
        <Fact name={t('preview.spend')}>{amount(summary.spend, quote)}</Fact>
      ) : (
        summary.amount && <Fact name={t('preview.amount')}>{amount(summary.amount, base)}</Fact>
      )}
      {summary.notional && !summary.spend && oneValue && (
        <Fact name={t('preview.value')}>{amount(summary.notional, quote)}</Fact>
      )}
      {estimate.average && (
        <>
          <Fact name={t('preview.average')}>{price(estimate.average)}</Fact>
          <Fact name={t('preview.slippage')}>{formatPercent(estimate.slippagePercent, 3)}</Fact>
        </>
      )}
      {kind.tif && (
        <>
          <Fact name={t('preview.atOnce')}>{amount(estimate.filled, base)}</Fact>
          {summary.resting.gt(0) && <Fact name={t('preview.rests')}>{amount(summary.resting, base)}</Fact>}
        </>
      )}
      {summary.needed && (summary.lockedMore || waiting) && (
        <Fact name={t('preview.locked')}>{amount(summary.needed, summary.neededAsset)}</Fact>
      )}
      {!kind.pair && (
        <Fact name={t('preview.fee', { rate: formatAmount(summary.feeRate.times(100)) })}>
          {amount(summary.fee, summary.feeAsset)}
        </Fact>
      )}
      <Results rules={rules} summary={summary} />
    </>
  );
}

/** What is there afterwards: of a list of two either the one or the other. */
function Results({ rules, summary }: Omit<FiguresProps, 'ticket'>) {
  const { t } = useTranslation('trade');
  const { base, quote } = rules;
  const amount = (value: Decimal, asset: string) => `${formatAmount(value)} ${asset}`;
  const { receive, waiting, after, feeAsset } = summary;
  if (waiting?.stopReceive && receive) {
    return (
      <>
        <Fact name={t('preview.receiveTarget')}>{amount(receive, feeAsset)}</Fact>
        <Fact name={t('preview.receiveStop')}>{amount(waiting.stopReceive, feeAsset)}</Fact>
      </>
    );
  }
  return (
    <>
      {receive && <Fact name={t('preview.receive')}>{amount(receive, feeAsset)}</Fact>}
      <Fact name={t('preview.after', { asset: base })}>{amount(after.base, base)}</Fact>
      <Fact name={t('preview.after', { asset: quote })}>{amount(after.quote, quote)}</Fact>
    </>
  );
}

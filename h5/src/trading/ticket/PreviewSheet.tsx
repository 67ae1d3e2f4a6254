import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, Sheet } from '@/components/ui';
import type { MoneyPhase, Outcome } from '@/lib/api/money';
import { tellOutcome } from '@/lib/api/tellOutcome';
import type { Decimal } from '@/lib/decimal';
import { formatAmount, formatPercent, formatPrice } from '@/lib/format';
import { useBook } from '@/lib/market';
import type { Session } from '@/lib/stocks';
import { whenText } from '@/lib/times';
import { judgingPrices } from '../market/prices';
import { Fact, Facts } from '../orders/Facts';
import type { MarketGate } from './gates';
import { feeInUsdt, usdtOf } from './hkd';
import { asks, KINDS, kindOf, type OrderFields, type PlaceCall } from './kinds';
import { orderParams } from './order';
import { convertedFor, convertible, type OtherPay } from './otherPay';
import css from './PreviewSheet.module.css';
import { PreviewSteps } from './PreviewSteps';
import { ticketProblems } from './problems';
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
  /** Of a stock's market. */
  session: Session | null;
  /** What the purchase is paid with instead of the quote asset. */
  other: OtherPay | undefined;
  /** HKD for one USDT, where the pair is quoted in HKD. */
  rate: Decimal | undefined;
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

function Preview({ ticket, rules, funds, gate, session, other, rate, onPlaced, phase, send }: Props & Request) {
  const { t } = useTranslation(['trade', 'stock', 'common']);
  const book = useBook(rules.symbol, ESTIMATE_DEPTH, 0);
  const buy = ticket.side === 'buy';
  const queued = gate === 'queues';
  // What waits for the open takes nothing of the book as it is now.
  const opposite = (!queued && (buy ? book?.asks : book?.bids)) || [];
  const prices = judgingPrices(rules.symbol);
  const spendable = other ? { ...funds, quote: convertible(other) } : funds;
  const summary = summarize({ ticket, rules, funds: spendable, opposite, ...prices });
  const available = buy ? spendable.quote : funds.base;
  const [told] = useState(summary.waiting?.name);
  // Until the deep book is there, an empty one would be blamed on the market.
  const problems = book
    ? ticketProblems({ ticket, rules, summary, gate, available, payAsset: other?.asset, told, ...prices })
    : [];

  async function place() {
    const label = t('orders.label', {
      side: t(`ticket.${ticket.side}`),
      amount: formatAmount(summary.amount ?? summary.spend ?? 0),
      pair: rules.symbol,
    });
    const done = t(queued ? 'stock:queue.placed' : 'orders.placed');
    const outcome = await send(orderParams(ticket, summary, rules), label);
    if (tellOutcome(outcome, { done, notReceived: t('common:notReceived') })) onPlaced();
  }

  return (
    <>
      <PreviewSteps ticket={ticket} rules={rules} summary={summary} />
      <Facts>
        <Figures ticket={ticket} rules={rules} summary={summary} rate={rate} queued={queued} ownQuote={!other} />
        {other && <Converted other={other} summary={summary} rules={rules} funds={funds} spendable={spendable} />}
      </Facts>
      {queued && session && <QueuedNote session={session} day={ticket.tif === 'DAY'} />}
      {kindOf(ticket).atMarket && book && !summary.estimate.complete && <Warning>{t('preview.partial')}</Warning>}
      {summary.estimate.slippagePercent.gt(HIGH_SLIPPAGE_PERCENT) && <Warning>{t('preview.slippageHigh')}</Warning>}
      {problems.map((problem) => (
        <Warning key={`${problem.field} ${problem.code}`}>{problemText(problem, t)}</Warning>
      ))}
      {phase === 'checking' && <Warning>{t('preview.checking')}</Warning>}
      <p className={css.note}>{t(noteOf(summary, queued))}</p>
      <Button
        block
        size="l"
        tone={buy ? 'up' : 'down'}
        loading={phase !== 'idle'}
        disabled={!book || problems.length > 0}
        throttleMs={1200}
        onClick={() => void place()}
      >
        {t(queued ? `stock:queue.send.${ticket.side}` : `preview.send.${ticket.side}`)}
      </Button>
    </>
  );
}

const noteOf = ({ waiting }: TicketSummary, queued: boolean) => {
  if (queued) return 'stock:queue.estimate';
  return waiting ? 'preview.estimateWaiting' : 'preview.estimate';
};

/** That the order waits, until when, and how long after that it stays. */
function QueuedNote({ session, day }: { session: Session; day: boolean }) {
  const { t } = useTranslation('stock');
  const time = session.next_open_ms > 0 ? whenText(session.next_open_ms, Date.now()) : undefined;
  return (
    <Warning>
      {time ? t('queue.until', { time }) : t('queue.waits')} {t(day ? 'queue.day' : 'queue.gtc')}
    </Warning>
  );
}

interface FiguresProps {
  ticket: TicketState;
  rules: PairRules;
  summary: TicketSummary;
  /** HKD for one USDT, where the pair is quoted in HKD. */
  rate: Decimal | undefined;
  /** It waits for the open. */
  queued: boolean;
  /** The quote asset is what is paid with. */
  ownQuote: boolean;
}

function Figures({ ticket, rules, summary, rate, queued, ownQuote }: FiguresProps) {
  const { t } = useTranslation(['trade', 'stock']);
  const { base, quote } = rules;
  const { estimate, waiting } = summary;
  // A list has two values, and what a trailing order is worth is not known before it is triggered.
  const kind = kindOf(ticket);
  const oneValue = !kind.pair && !asks(kind, 'trail');
  const amount = (value: Decimal, asset: string) => `${formatAmount(value)} ${asset}`;
  const price = (value: Decimal) => `${formatPrice(value, rules.priceDecimals)} ${quote}`;
  const worth = (value: Decimal | undefined) => rate && value && usdtOf(value, rate);
  const value = summary.notional && worth(summary.notional);
  return (
    <>
      {summary.price && !waiting && (
        <Fact name={t('preview.price')}>
          <Money text={price(summary.price)} usdt={worth(summary.price)} />
        </Fact>
      )}
      {waiting?.trailsTo && <Fact name={t('preview.trailsTo')}>{price(waiting.trailsTo)}</Fact>}
      {summary.spend ? (
        <Fact name={t('preview.spend')}>{amount(summary.spend, quote)}</Fact>
      ) : (
        summary.amount && <Fact name={t('preview.amount')}>{amount(summary.amount, base)}</Fact>
      )}
      {summary.notional && !summary.spend && oneValue && (
        <Fact name={t('preview.value')}>
          <Money text={amount(summary.notional, quote)} usdt={value} />
        </Fact>
      )}
      {estimate.average && (
        <>
          <Fact name={t('preview.average')}>{price(estimate.average)}</Fact>
          <Fact name={t('preview.slippage')}>{formatPercent(estimate.slippagePercent, 3)}</Fact>
        </>
      )}
      {kind.tif && !queued && (
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
          <Money text={amount(summary.fee, summary.feeAsset)} usdt={value && feeInUsdt(value, summary.feeRate)} />
        </Fact>
      )}
      {summary.pays && oneValue && (
        <Fact name={t('stock:preview.pays')}>
          <Money text={amount(summary.pays, quote)} usdt={worth(summary.pays)} />
        </Fact>
      )}
      <Results rules={rules} summary={summary} rate={rate} ownQuote={ownQuote} />
    </>
  );
}

/** An amount, and below it what it is in USDT where it is not of that. */
function Money({ text, usdt }: { text: string; usdt: Decimal | undefined }) {
  if (!usdt) return text;
  return (
    <>
      {text}
      <small className={css.worth}>≈ {formatAmount(usdt)} USDT</small>
    </>
  );
}

/** What is there afterwards: of a list of two either the one or the other. */
function Results({ rules, summary, rate, ownQuote }: Omit<FiguresProps, 'ticket' | 'queued'>) {
  const { t } = useTranslation('trade');
  const { base, quote } = rules;
  const amount = (value: Decimal, asset: string) => `${formatAmount(value)} ${asset}`;
  const { receive, waiting, after, receiveAsset } = summary;
  const usdt = receive && rate && receiveAsset === quote ? usdtOf(receive, rate) : undefined;
  if (waiting?.stopReceive && receive) {
    return (
      <>
        <Fact name={t('preview.receiveTarget')}>{amount(receive, receiveAsset)}</Fact>
        <Fact name={t('preview.receiveStop')}>{amount(waiting.stopReceive, receiveAsset)}</Fact>
      </>
    );
  }
  return (
    <>
      {receive && (
        <Fact name={t('preview.receive')}>
          <Money text={amount(receive, receiveAsset)} usdt={usdt} />
        </Fact>
      )}
      <Fact name={t('preview.after', { asset: base })}>{amount(after.base, base)}</Fact>
      {ownQuote && <Fact name={t('preview.after', { asset: quote })}>{amount(after.quote, quote)}</Fact>}
    </>
  );
}

interface ConvertedProps {
  other: OtherPay;
  summary: TicketSummary;
  rules: PairRules;
  funds: Funds;
  /** With the quote asset that the other one makes. */
  spendable: Funds;
}

/** What is converted for a purchase, and what both assets are afterwards. */
function Converted({ other, summary, rules, funds, spendable }: ConvertedProps) {
  const { t } = useTranslation(['trade', 'stock']);
  if (!summary.needed) return null;
  const { given, received } = convertedFor(summary.needed, other);
  const paid = spendable.quote.minus(summary.after.quote);
  const left = funds.quote.plus(received).minus(paid);
  return (
    <>
      <Fact name={t('stock:pay.converted', { fee: formatAmount(other.fee.times(100)) })}>
        ≈ {formatAmount(given)} {other.asset}
      </Fact>
      <Fact name={t('preview.after', { asset: rules.quote })}>
        ≈ {formatAmount(left)} {rules.quote}
      </Fact>
      <Fact name={t('preview.after', { asset: other.asset })}>
        ≈ {formatAmount(other.available.minus(given))} {other.asset}
      </Fact>
    </>
  );
}

import { useQueryClient } from '@tanstack/react-query';
import { TriangleAlert } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, Sheet } from '@/components/ui';
import type { Outcome } from '@/lib/api/money';
import type { Decimal } from '@/lib/decimal';
import { formatAmount, formatPrice } from '@/lib/format';
import { useBook } from '@/lib/market';
import { toast } from '@/lib/toast';
import { detailKey, openOrdersKey } from '../api/account';
import { usePlaceOrder } from '../api/place';
import { judgingPrices } from '../prices';
import { problemText } from '../problemText';
import { orderParams } from '../ticket/order';
import { type MarketGate, ticketProblems } from '../ticket/problems';
import type { Funds, TicketState } from '../ticket/reducer';
import type { PairRules } from '../ticket/rules';
import { summarize, type TicketSummary } from '../ticket/summary';
import { Fact, Facts } from './Facts';
import css from './PreviewSheet.module.css';
import { PreviewSteps } from './PreviewSteps';

interface Props {
  open: boolean;
  ticket: TicketState;
  rules: PairRules;
  funds: Funds;
  gate: MarketGate;
  onClose(): void;
  onPlaced(): void;
}

/** Enough levels that an order of ordinary size is estimated to its end. */
const ESTIMATE_DEPTH = 200;
const HIGH_SLIPPAGE_PERCENT = 0.5;

/** What will happen, before it happens: from the live book while the sheet is open. */
export function PreviewSheet(props: Props) {
  const { t } = useTranslation('trade');
  const { open, ticket, onClose } = props;
  const request = usePlaceOrder(ticket.kind);
  const busy = request.phase !== 'idle';
  return (
    <Sheet open={open} onClose={busy ? () => {} : onClose} title={t(`preview.title.${ticket.side}`)}>
      {open && <Preview {...props} phase={request.phase} send={request.send} />}
    </Sheet>
  );
}

type Request = ReturnType<typeof usePlaceOrder>;

function Preview({ ticket, rules, funds, gate, onPlaced, phase, send }: Props & Request) {
  const { t } = useTranslation(['trade', 'common']);
  const client = useQueryClient();
  const book = useBook(rules.symbol, ESTIMATE_DEPTH, 0);
  const buy = ticket.side === 'buy';
  const opposite = (buy ? book?.asks : book?.bids) ?? [];
  const prices = judgingPrices(rules.symbol);
  const summary = summarize({ ticket, rules, funds, opposite, ...prices });
  const available = buy ? funds.quote : funds.base;
  const [told] = useState(summary.waiting?.name);
  // Until the deep book is there, an empty one would be blamed on the market.
  const problems = book ? ticketProblems({ ticket, rules, summary, gate, available, told, ...prices }) : [];
  const market = ticket.kind === 'market';

  function settle(outcome: Outcome | null) {
    if (!outcome) return;
    if (outcome.kind === 'done') {
      toast.success(t('orders.placed'));
      // Until private events flow, the lists are the only witnesses.
      for (const queryKey of [detailKey(rules.currencyId), detailKey(rules.legalId), openOrdersKey]) {
        void client.invalidateQueries({ queryKey });
      }
      onPlaced();
    } else if (outcome.kind === 'not_received') {
      toast.error(t('common:notReceived'));
    }
  }

  async function place() {
    const label = t('orders.label', {
      side: t(`ticket.${ticket.side}`),
      amount: formatAmount((summary.amount ?? summary.spend)?.toFixed() ?? '0'),
      pair: rules.symbol,
    });
    settle(await send(orderParams(ticket, summary, rules), label));
  }

  return (
    <>
      <PreviewSteps ticket={ticket} rules={rules} summary={summary} />
      <Facts>
        <Figures ticket={ticket} rules={rules} summary={summary} />
      </Facts>
      {market && book && !summary.estimate.complete && <Warning>{t('preview.partial')}</Warning>}
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

function Warning({ children }: { children: ReactNode }) {
  return (
    <p className={css.warning} role="status">
      <TriangleAlert size={15} aria-hidden="true" />
      {children}
    </p>
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
  const oneValue = ticket.kind !== 'oco' && ticket.kind !== 'trailing';
  const amount = (value: Decimal, asset: string) => `${formatAmount(value.toFixed())} ${asset}`;
  const price = (value: Decimal) => `${formatPrice(value.toFixed(), rules.priceDecimals)} ${quote}`;
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
          <Fact name={t('preview.slippage')}>{estimate.slippagePercent.toFixed(3)}%</Fact>
        </>
      )}
      {ticket.kind === 'limit' && (
        <>
          <Fact name={t('preview.atOnce')}>{amount(estimate.filled, base)}</Fact>
          {summary.resting.gt(0) && <Fact name={t('preview.rests')}>{amount(summary.resting, base)}</Fact>}
        </>
      )}
      {summary.needed && (summary.lockedMore || waiting) && (
        <Fact name={t('preview.locked')}>{amount(summary.needed, summary.neededAsset)}</Fact>
      )}
      {ticket.kind !== 'oco' && (
        <Fact name={t('preview.fee', { rate: summary.feeRate.times(100).toFixed() })}>
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
  const amount = (value: Decimal, asset: string) => `${formatAmount(value.toFixed())} ${asset}`;
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

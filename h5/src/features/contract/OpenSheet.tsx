/** What a position will be, before it is opened: from the live index while the sheet is open. */
import { ShieldAlert } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Badge, Button, Sheet } from '@/components/ui';
import { tellOutcome } from '@/lib/api/tellOutcome';
import { type Decimal, plain } from '@/lib/decimal';
import { formatAmount, formatPrice } from '@/lib/format';
import { Fact, Facts, Warning } from '@/trading';
import { type LeverSubmitFields, useOpenTicket } from './api/manage';
import type { Draft, Setup } from './draft';
import type { Opening } from './numbers';
import css from './OpenSheet.module.css';
import { type Problem, problemText } from './problems';
import type { ContractRules } from './rules';
import { signedMoney } from './show';
import type { StopOutcome, Summary } from './summary';

interface Props {
  open: boolean;
  draft: Draft;
  setup: Setup;
  rules: ContractRules;
  summary: Summary;
  problems: readonly Problem[];
  onClose(): void;
  onOpened(): void;
}

/** The fields of `lever/submit`. */
export function submitFields(draft: Draft, setup: Setup, summary: Summary, rules: ContractRules): LeverSubmitFields {
  const limit = draft.kind === 'limit' && summary.reference;
  return {
    currency_id: rules.currencyId,
    legal_id: rules.legalId,
    type: draft.direction === 'long' ? 1 : 2,
    share: summary.lots ?? 0,
    multiple: setup.multiple,
    status: limit ? 0 : 1,
    ...(limit && { target_price: plain(limit) }),
    margin_mode: setup.mode,
    ...(summary.takeProfit && { target_profit_price: plain(summary.takeProfit.price) }),
    ...(summary.stopLoss && { stop_loss_price: plain(summary.stopLoss.price) }),
  };
}

export function OpenSheet({ open, draft, setup, rules, summary, problems, onClose, onOpened }: Props) {
  const { t } = useTranslation(['contract', 'common', 'trade']);
  const { phase, send } = useOpenTicket();
  const long = draft.direction === 'long';
  const busy = phase !== 'idle';

  async function place() {
    const label = t('ticket.label', {
      direction: t(long ? 'form.long' : 'form.short'),
      pair: rules.symbol,
      lots: summary.lots,
    });
    const outcome = await send(submitFields(draft, setup, summary, rules), label);
    const done = t(draft.kind === 'limit' ? 'close.placed' : 'close.opened');
    if (tellOutcome(outcome, { done, notReceived: t('common:notReceived') })) onOpened();
  }

  return (
    <Sheet
      open={open}
      onClose={busy ? () => {} : onClose}
      title={t(long ? 'preview.titleLong' : 'preview.titleShort')}
      footer={
        <Button
          block
          size="l"
          tone={long ? 'up' : 'down'}
          loading={busy}
          disabled={problems.length > 0}
          throttleMs={1200}
          onClick={() => void place()}
        >
          {t(long ? 'preview.sendLong' : 'preview.sendShort')}
        </Button>
      }
    >
      <p className={css.head}>
        <strong className={long ? css.long : css.short}>{t(long ? 'form.long' : 'form.short')}</strong>
        <strong>{rules.symbol}</strong>
        <Badge>{t(`form.${setup.mode}`)}</Badge>
        <Badge>{setup.multiple}×</Badge>
      </p>
      {problems.map((problem) => (
        <Warning key={`${problem.field} ${problem.code}`}>{problemText(problem, t)}</Warning>
      ))}
      {phase === 'checking' && <Warning>{t('preview.checking')}</Warning>}
      {summary.opening && (
        <Facts>
          <Figures draft={draft} rules={rules} summary={summary} opening={summary.opening} />
        </Facts>
      )}
      <Worst setup={setup} rules={rules} worst={summary.worst} />
      <p className={css.note}>{houseText(t, draft, rules, summary)}</p>
      <p className={css.note}>{t('preview.nightNote')}</p>
    </Sheet>
  );
}

type Translate = ReturnType<typeof useTranslation<['contract', 'common', 'trade']>>['t'];

/** Who is on the other side, and at which price. */
function houseText(t: Translate, draft: Draft, rules: ContractRules, { reference }: Summary): string {
  const values = { sign: draft.direction === 'long' ? '+' : '−', spread: formatAmount(rules.spread.times(100)) };
  if (draft.kind === 'market' || !reference) return t('preview.house', values);
  return t('preview.houseLimit', { ...values, price: formatPrice(reference, rules.priceDecimals) });
}

interface FiguresProps {
  draft: Draft;
  rules: ContractRules;
  summary: Summary;
  opening: Opening;
}

function Figures({ draft, rules, summary, opening }: FiguresProps) {
  const { t } = useTranslation('contract');
  const { base, settle } = rules;
  const amount = (value: Decimal) => `${formatAmount(value)} ${settle}`;
  const price = (value: Decimal) => `${formatPrice(value, rules.priceDecimals)} ${settle}`;
  const stop = ({ price: at, profit }: StopOutcome) =>
    `${formatPrice(at, rules.priceDecimals)} (${signedMoney(profit)} ${settle})`;
  return (
    <>
      {draft.kind === 'limit' && summary.reference && <Fact name={t('preview.limit')}>{price(summary.reference)}</Fact>}
      <Fact name={t(draft.kind === 'limit' ? 'preview.opensAt' : 'preview.price')}>{price(opening.price)}</Fact>
      <Fact name={t('preview.size')}>
        {t('ticket.lots', { lots: formatAmount(String(summary.lots ?? 0)) })} = {formatAmount(opening.number)} {base}
      </Fact>
      <Fact name={t('preview.value')}>{amount(opening.value)}</Fact>
      <Fact name={t('preview.margin')}>{amount(opening.margin)}</Fact>
      <Fact name={t('preview.fee', { rate: formatAmount(rules.fee.times(100)) })}>{amount(opening.fee)}</Fact>
      <Fact name={t('preview.cost')}>{amount(opening.cost)}</Fact>
      {summary.after && <Fact name={t('preview.after')}>{amount(summary.after)}</Fact>}
      <Fact name={t('preview.liquidation')}>
        {summary.ends.liquidation ? price(summary.ends.liquidation) : t('preview.none')}
      </Fact>
      <Fact name={t('preview.bankruptcy')}>
        {summary.ends.bankruptcy ? price(summary.ends.bankruptcy) : t('preview.none')}
      </Fact>
      {summary.takeProfit && <Fact name={t('form.takeProfit')}>{stop(summary.takeProfit)}</Fact>}
      {summary.stopLoss && <Fact name={t('form.stopLoss')}>{stop(summary.stopLoss)}</Fact>}
      <Fact name={t('preview.night', { rate: formatAmount(rules.night.times(100)) })}>{amount(opening.night)}</Fact>
    </>
  );
}

/** In money, so that nobody has to work it out. */
function Worst({ setup, rules, worst }: { setup: Setup; rules: ContractRules; worst: Decimal | undefined }) {
  const { t } = useTranslation('contract');
  if (!worst) return null;
  const values = { amount: formatAmount(worst), asset: rules.settle };
  return (
    <div className={css.worst}>
      <ShieldAlert size={18} aria-hidden="true" />
      <p>
        <strong>{t('preview.worst')}</strong>
        <span className="num">
          {t(setup.mode === 'isolated' ? 'preview.worstIsolated' : 'preview.worstCross', values)}
        </span>
      </p>
    </div>
  );
}

/**
 * Owns: the form that opens a position. Never does: send; the sheet that shows what will happen does.
 * Invariants: every figure is computed from the index of the moment by the functions that the tests prove.
 */
import { ChevronDown } from 'lucide-react';
import { useId, useMemo, useReducer, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Checkbox, OptionList, PercentChips, Sheet, Stepper, Tabs } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { Decimal } from '@/lib/decimal';
import { formatAmount, formatPrice } from '@/lib/format';
import { useBarred, useToken } from '@/lib/session';
import { useAtom } from '@/lib/state';
import { BarredNotice, SideSwitch, SubmitButton, TransferButton } from '@/trading';
import type { Ticket } from './api/tickets';
import css from './ContractTicket.module.css';
import { draftReducer, EMPTY_DRAFT, type PriceField, setupAtom } from './draft';
import { useContractGate } from './gate';
import { heldOf, openValue } from './held';
import { MultipleField } from './MultipleField';
import type { MarginMode } from './numbers';
import { OpenSheet } from './OpenSheet';
import { type Problem, problemText, ticketProblems } from './problems';
import type { ContractRules } from './rules';
import { signedMoney } from './show';
import { type StopOutcome, summarize } from './summary';

interface Props {
  rules: ContractRules;
  /** undefined while the account has not told, and of a guest. */
  available: Decimal | undefined;
  open: readonly Ticket[];
  waiting: readonly Ticket[];
  onOpened(): void;
}

const NOTHING = new Decimal(0);
const MISSING: readonly Problem['code'][] = ['priceMissing', 'lotsMissing'];

/** Of this contract's rules: one that the last contract had and this one has not becomes the lowest. */
const offered = (multiple: number, { multiples }: ContractRules): number =>
  multiples.includes(multiple) ? multiple : (multiples[0] ?? 1);

export function ContractTicket({ rules, available, open, waiting, onOpened }: Props) {
  const { t } = useTranslation(['contract', 'trade']);
  const token = useToken();
  const barred = useBarred('contract');
  const notice = useId();
  const { gate, face } = useContractGate(rules.symbol, rules.staleAfterMs);
  const [draft, dispatch] = useReducer(draftReducer, EMPTY_DRAFT);
  const [chosen, setSetup] = useAtom(setupAtom);
  const [shown, setShown] = useState<'mode' | 'preview' | undefined>();
  const [tried, setTried] = useState(false);

  const multiple = offered(chosen.multiple, rules);
  const setup = { ...chosen, multiple };
  const text = face?.index;
  const index = useMemo(() => (text && Number(text) > 0 ? new Decimal(text) : undefined), [text]);
  const held = useMemo(() => open.map(heldOf), [open]);
  const ownValue = useMemo(() => openValue([...open, ...waiting], rules.symbol), [open, waiting, rules.symbol]);
  const input = { draft, setup, rules, index, held, ownValue, available: available ?? NOTHING };
  const summary = summarize(input);
  const problems = ticketProblems({ ...input, summary, gate });
  const fault = (field: Problem['field']) => {
    const problem = problems.find((entry) => entry.field === field && (tried || !MISSING.includes(entry.code)));
    return problem && problemText(problem, t);
  };

  const long = draft.direction === 'long';
  const { opening, ends } = summary;
  const price = (value: Decimal | undefined) => (value ? formatPrice(value, rules.priceDecimals) : '--');
  const priceField = (field: PriceField, label: string) => (
    <Stepper
      label={label}
      value={draft[field]}
      error={fault(field)}
      onChange={(typedIn) => dispatch({ type: field, text: typedIn })}
      onStep={(way) => dispatch({ type: 'stepPrice', field, way, from: summary.reference ?? index, rules })}
    />
  );

  function submit() {
    setTried(true);
    if (problems.length === 0) setShown('preview');
  }

  return (
    <section className={css.ticket} aria-label={t('form.label', { pair: rules.symbol })}>
      <BarredNotice product="contract" id={notice} />
      <SideSwitch
        label={t('form.direction')}
        names={{ buy: t('form.long'), sell: t('form.short') }}
        side={long ? 'buy' : 'sell'}
        onChange={(side) => {
          setTried(false);
          dispatch({ type: 'direction', direction: side === 'buy' ? 'long' : 'short' });
        }}
      />
      <div className={css.row}>
        <button
          type="button"
          className={css.mode}
          aria-haspopup="dialog"
          aria-label={t('form.modeIs', { mode: t(`form.${setup.mode}`) })}
          onClick={() => setShown('mode')}
        >
          {t(`form.${setup.mode}`)}
          <ChevronDown size={14} aria-hidden="true" />
        </button>
        <Tabs<'market' | 'limit'>
          look="segment"
          label={t('trade:ticket.type')}
          className={css.kind}
          value={draft.kind}
          onChange={(kind) => {
            setTried(false);
            dispatch({ type: 'kind', kind });
          }}
          items={(['market', 'limit'] as const).map((value) => ({ value, label: t(`trade:ticket.${value}`) }))}
        />
      </div>
      <MultipleField
        multiples={rules.multiples}
        value={multiple}
        cap={summary.cap}
        error={fault('multiple')}
        onChange={(next) => setSetup({ ...setup, multiple: next })}
      />
      {draft.kind === 'limit' && priceField('price', `${t('form.limitPrice')} (${rules.settle})`)}
      <div className={css.lots}>
        <Stepper
          label={t('form.lots')}
          value={draft.lots}
          error={fault('lots')}
          onChange={(typedIn) => dispatch({ type: 'lots', text: typedIn })}
          onStep={(way) => dispatch({ type: 'stepLots', way, rules })}
        />
        <p className={`num ${css.size}`}>
          {opening
            ? `${formatAmount(opening.number)} ${rules.base} ≈ ${formatAmount(opening.value, 2)} ${rules.settle}`
            : t('form.lotsAre', { lot: formatAmount(rules.lot), asset: rules.base })}
        </p>
      </div>
      <PercentChips
        label={t('form.share')}
        {...(draft.percent === undefined ? {} : { value: draft.percent })}
        disabled={!token || summary.most === 0}
        onChange={(percent) => dispatch({ type: 'share', percent, most: summary.most })}
      />
      <div className={css.stops}>
        <Checkbox checked={draft.withStops} onChange={(on) => dispatch({ type: 'withStops', on })}>
          {t('form.stops')}
        </Checkbox>
        {draft.withStops && (
          <div className={css.prices}>
            <div>
              {priceField('takeProfit', t('form.takeProfit'))}
              <Outcome outcome={summary.takeProfit} settle={rules.settle} />
            </div>
            <div>
              {priceField('stopLoss', t('form.stopLoss'))}
              <Outcome outcome={summary.stopLoss} settle={rules.settle} />
            </div>
          </div>
        )}
      </div>
      <dl className={css.facts}>
        <div>
          <dt>{t('trade:ticket.available')}</dt>
          <dd className="num">
            {available ? formatAmount(available, 4) : '--'} {rules.settle}
            <TransferButton label={t('form.transfer')} currency={rules.legalId} to="lever" />
          </dd>
        </div>
        <div>
          <dt>{t('form.most')}</dt>
          <dd className="num">{available && index ? formatAmount(String(summary.most)) : '--'}</dd>
        </div>
        <div>
          <dt>{t('form.cost')}</dt>
          <dd className="num">
            {opening ? formatAmount(opening.cost, 4) : '--'} {rules.settle}
          </dd>
        </div>
        <div>
          <dt>{t('form.liquidation')}</dt>
          <dd className="num">{price(ends.liquidation)}</dd>
        </div>
      </dl>
      <SubmitButton
        label={t(long ? 'form.openLong' : 'form.openShort')}
        loginLabel={t('form.login')}
        buys={long}
        gate={gate}
        className={css.submit}
        noticeId={barred ? notice : undefined}
        page={PATHS.contract}
        query={{ symbol: rules.symbol }}
        onSubmit={submit}
      />
      <ModeSheet
        open={shown === 'mode'}
        value={setup.mode}
        onChange={(mode) => setSetup({ ...setup, mode })}
        onClose={() => setShown(undefined)}
      />
      <OpenSheet
        open={shown === 'preview' && !barred}
        draft={draft}
        setup={setup}
        rules={rules}
        summary={summary}
        problems={problems}
        onClose={() => setShown(undefined)}
        onOpened={() => {
          setShown(undefined);
          setTried(false);
          dispatch({ type: 'sent' });
          onOpened();
        }}
      />
    </section>
  );
}

/** What a stop comes to, in money. */
export function Outcome({ outcome, settle }: { outcome: StopOutcome | undefined; settle: string }) {
  if (!outcome) return null;
  const gains = outcome.profit.gte(0);
  return (
    <p className={`num ${css.outcome}`} data-gains={gains || undefined}>
      {signedMoney(outcome.profit)} {settle} <small>({signedMoney(outcome.roe)}%)</small>
    </p>
  );
}

interface ModeProps {
  open: boolean;
  value: MarginMode;
  onChange(mode: MarginMode): void;
  onClose(): void;
}

function ModeSheet({ open, value, onChange, onClose }: ModeProps) {
  const { t } = useTranslation('contract');
  return (
    <Sheet open={open} onClose={onClose} title={t('form.mode')}>
      <OptionList<MarginMode>
        label={t('form.mode')}
        value={value}
        options={(['cross', 'isolated'] as const).map((mode) => ({
          value: mode,
          label: t(`form.${mode}`),
          note: t(`form.${mode}Note`),
        }))}
        onChange={(mode) => {
          onChange(mode);
          onClose();
        }}
      />
    </Sheet>
  );
}

import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, Stepper } from '@/components/ui';
import { type Decimal, plain } from '@/lib/decimal';
import { typed } from '@/trading';
import { Outcome } from './ContractTicket';
import { type DraftAction, draftReducer, EMPTY_DRAFT, type Stops } from './draft';
import { type Problem, problemText } from './problems';
import type { PriceSteps } from './rules';
import css from './StopsForm.module.css';
import type { StopOutcome } from './summary';

interface Props {
  settle: string;
  /** undefined: not known yet. */
  rules: PriceSteps | undefined;
  /** As they are now; '' is none. */
  stops: Stops;
  /** Entry and the price of now, in words. */
  prices: string;
  note: string;
  /** An empty field is stepped from here. */
  reference: Decimal;
  /** The index can be relied on. */
  live: boolean;
  busy: boolean;
  problemsOf(stops: Stops): Problem[];
  outcomeAt(price: Decimal): StopOutcome;
  /** '' is none. */
  onSave(stops: Stops): void;
}

/** Two prices where something open is closed by itself, each with what it comes to in money. */
export function StopsForm({ settle, rules, stops, prices, note, reference, live, busy, ...rest }: Props) {
  const { t } = useTranslation(['contract', 'trade']);
  const { problemsOf, outcomeAt, onSave } = rest;
  const [draft, setDraft] = useState({ ...EMPTY_DRAFT, ...stops });
  const problems = problemsOf(draft);
  const dispatch = (action: DraftAction) => setDraft((now) => draftReducer(now, action));
  const outcome = (text: string): StopOutcome | undefined => {
    const at = typed(text);
    return at?.gt(0) ? outcomeAt(at) : undefined;
  };
  const field = (name: keyof Stops) => {
    const problem = problems.find((entry) => entry.field === name);
    return (
      <div className={css.field}>
        <Stepper
          label={`${t(`form.${name}`)} (${settle})`}
          value={draft[name]}
          error={problem && problemText(problem, t)}
          onChange={(text) => dispatch({ type: name, text })}
          onStep={(way) => rules && dispatch({ type: 'stepPrice', field: name, way, from: reference, rules })}
        />
        <Outcome outcome={outcome(draft[name])} settle={settle} />
      </div>
    );
  };
  return (
    <div className={css.stops}>
      <p className={`num ${css.prices}`}>{prices}</p>
      {field('takeProfit')}
      {field('stopLoss')}
      <p className={css.note}>{note}</p>
      <Button
        block
        size="l"
        loading={busy}
        disabled={!rules || !live || problems.length > 0}
        throttleMs={1000}
        onClick={() => onSave({ takeProfit: priceText(draft.takeProfit), stopLoss: priceText(draft.stopLoss) })}
      >
        {t('stops.save')}
      </Button>
    </div>
  );
}

const priceText = (text: string): string => plain(typed(text)) ?? '';

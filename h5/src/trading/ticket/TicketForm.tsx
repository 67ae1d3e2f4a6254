import { ChevronDown, Settings2 } from 'lucide-react';
import { memo, type RefObject, useCallback, useEffect, useImperativeHandle, useReducer, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PercentChips, Stepper } from '@/components/ui';
import type { Path } from '@/config/paths';
import type { Quote } from '@/lib/api/types';
import { Decimal } from '@/lib/decimal';
import { formatAmount } from '@/lib/format';
import { type BookView, marketClient, topicKey } from '@/lib/market';
import { useToken } from '@/lib/session';
import { useMarketGate } from '../market/gate';
import { judgingPrices, lastPrice } from '../market/prices';
import { kindOf, lacksPrice, lockPerUnit, type Side } from './kinds';
import { PreviewSheet, type UsePlace } from './PreviewSheet';
import { PriceFields } from './PriceFields';
import { type Problem, ticketProblems } from './problems';
import { problemText } from './problemText';
import { EMPTY_TICKET, type Funds, type TicketAction, type TicketState, ticketReducer } from './reducer';
import type { PairRules } from './rules';
import { SideSwitch } from './SideSwitch';
import { SubmitButton } from './SubmitButton';
import { summarize } from './summary';
import css from './TicketForm.module.css';
import { TransferButton } from './TransferButton';
import { TypeSheet } from './TypeSheet';

export interface TicketHandle {
  level(price: number, size: number): void;
}

interface Props {
  rules: PairRules;
  /** What may be spent; `known` once the account has told. */
  funds: Funds & { known: boolean };
  /** Sends an order by one of the product's calls. */
  usePlace: UsePlace;
  /** The page, where a guest comes back to after logging in. */
  page: Path;
  /** Names the way to more funds. */
  transferLabel: string;
  marketStatus: Quote['market_status'];
  /** The book slice that is on the screen: the best prices without a subscription of its own. */
  bookKey: string;
  handle: RefObject<TicketHandle | null>;
  onPlaced(): void;
}

export const TicketForm = memo(function TicketForm(props: Props) {
  const { rules, funds, marketStatus, bookKey, handle } = props;
  const { t } = useTranslation('trade');
  const token = useToken();
  const gate = useMarketGate(rules.symbol, marketStatus);
  const reducer = useCallback(
    (state: TicketState, action: TicketAction) => ticketReducer(state, action, rules),
    [rules],
  );
  const [ticket, dispatch] = useReducer(reducer, EMPTY_TICKET);
  const [shown, setShown] = useState<'type' | 'force' | 'preview' | undefined>();
  const [tried, setTried] = useState(false);
  const [touched, setTouched] = useState(false);
  const lastLevel = useRef<number | undefined>(undefined);

  useImperativeHandle(handle, () => ({
    level(price, size) {
      dispatch({ type: 'level', price, size, again: lastLevel.current === price });
      lastLevel.current = price;
    },
  }));

  // A ticket starts at the market: the price the user sees is the one to improve upon.
  const empty = lacksPrice(ticket) && !touched;
  useEffect(() => {
    if (!empty) return;
    const fill = () => {
      const last = lastPrice(rules.symbol);
      if (last !== undefined) dispatch({ type: 'prefill', last });
      return last !== undefined;
    };
    if (fill()) return;
    const stop = marketClient.subscribe(topicKey.trades(rules.symbol), () => {
      if (fill()) stop();
    });
    return stop;
  }, [empty, rules]);

  const buy = ticket.side === 'buy';
  const available = buy ? funds.quote : funds.base;
  const book = marketClient.get<BookView>(bookKey);
  const opposite = (buy ? book?.asks : book?.bids) ?? [];
  const prices = judgingPrices(rules.symbol);
  const summary = summarize({ ticket, rules, funds, opposite, ...prices });
  const problems = ticketProblems({ ticket, rules, summary, gate, available, ...prices });
  const shownProblems = tried ? problems : problems.filter(({ code }) => !code.endsWith('Missing'));
  const fault = (field: Problem['field']) => {
    const problem = shownProblems.find((entry) => entry.field === field);
    return problem && problemText(problem, t);
  };
  const kind = kindOf(ticket);
  const byTotal = kind.total === 'spent' && ticket.entered === 'total';
  const touch = (action: TicketAction) => {
    setTouched(true);
    dispatch(action);
  };

  /** Another side or type is another order: what was missing in the last one is no reproach to it. */
  const restart = (action: TicketAction) => {
    setTried(false);
    if (action.type !== 'tif') setTouched(false);
    dispatch(action);
  };

  const best = opposite[0] && new Decimal(opposite[0].price);
  const unit = kind.atMarket ? best : lockPerUnit(ticket, rules, prices.reference);
  const most = unit?.gt(0) ? funds.quote.div(unit) : undefined;
  const maximum = buy ? most : funds.base;

  const known = token !== '' && funds.known;
  const quantity = (field: 'amount' | 'total') => (
    <Stepper
      label={`${t(`ticket.${field}`)} (${field === 'total' ? rules.quote : rules.base})`}
      value={ticket[field]}
      error={fault(field)}
      onChange={(text) => dispatch({ type: field, text })}
      onStep={(direction) => dispatch({ type: field === 'total' ? 'stepTotal' : 'stepAmount', direction })}
    />
  );

  function submit() {
    setTried(true);
    if (problems.length === 0) setShown('preview');
  }

  return (
    <section className={css.ticket} aria-label={t('ticket.label', { pair: rules.symbol })}>
      <SideSwitch
        label={t('ticket.side')}
        names={{ buy: t('ticket.buy'), sell: t('ticket.sell') }}
        side={ticket.side}
        onChange={(side) => restart({ type: 'side', side })}
      />
      <button
        type="button"
        className={css.type}
        aria-haspopup="dialog"
        aria-label={t('ticket.typeIs', { type: t(`ticket.${ticket.kind}`) })}
        onClick={() => setShown('type')}
      >
        <Settings2 size={14} aria-hidden="true" />
        <span className={css.typeText}>{t(`ticket.${ticket.kind}`)}</span>
        <ChevronDown size={14} aria-hidden="true" />
      </button>

      <PriceFields ticket={ticket} rules={rules} fault={fault} dispatch={touch} />

      {kind.total === 'spent' && buy && (
        <EnteredSwitch
          rules={rules}
          value={ticket.entered}
          onChange={(entered) => dispatch({ type: 'entered', entered })}
        />
      )}

      {quantity(byTotal ? 'total' : 'amount')}

      <PercentChips
        label={t('ticket.percent')}
        {...(ticket.percent === undefined ? {} : { value: ticket.percent })}
        disabled={!token}
        onChange={(percent) =>
          dispatch({
            type: 'percent',
            percent,
            funds,
            reference: prices.reference?.toNumber(),
          })
        }
      />

      {kind.total === 'follows' && quantity('total')}

      {kind.tif && (
        <button type="button" className={css.force} aria-haspopup="dialog" onClick={() => setShown('force')}>
          <span className={css.forceName}>{t('ticket.advanced')}</span>
          {t(`ticket.tif.${ticket.tif}`)}
          <ChevronDown size={14} aria-hidden="true" />
        </button>
      )}

      <TicketFacts
        rules={rules}
        side={ticket.side}
        available={known ? available : undefined}
        maximum={known ? maximum : undefined}
        fee={summary.fee}
        feeAsset={summary.feeAsset}
        transferLabel={props.transferLabel}
      />

      <SubmitButton
        label={t(`ticket.submit.${ticket.side}`, { asset: rules.base })}
        loginLabel={t('ticket.login')}
        buys={buy}
        gate={gate}
        className={css.submit}
        page={props.page}
        query={{ symbol: rules.symbol }}
        onSubmit={submit}
      />

      <TypeSheet
        open={shown === 'preview' ? undefined : shown}
        ticket={ticket}
        dispatch={restart}
        onClose={() => setShown(undefined)}
      />
      <PreviewSheet
        open={shown === 'preview'}
        ticket={ticket}
        rules={rules}
        funds={funds}
        gate={gate}
        usePlace={props.usePlace}
        onClose={() => setShown(undefined)}
        onPlaced={() => {
          setShown(undefined);
          setTried(false);
          dispatch({ type: 'sent' });
          props.onPlaced();
        }}
      />
    </section>
  );
});

interface FactsProps {
  rules: PairRules;
  side: Side;
  /** undefined while the account has not told. */
  available: Decimal | undefined;
  maximum: Decimal | undefined;
  fee: Decimal;
  feeAsset: string;
  transferLabel: string;
}

/** What there is, how much that makes at most, what it costs. */
function TicketFacts({ rules, side, available, maximum, fee, feeAsset, transferLabel }: FactsProps) {
  const { t } = useTranslation('trade');
  const buy = side === 'buy';
  return (
    <dl className={css.facts}>
      <div>
        <dt>{t('ticket.available')}</dt>
        <dd className="num">
          {available ? formatAmount(available) : '--'} {buy ? rules.quote : rules.base}
          <TransferButton label={transferLabel} currency={buy ? rules.legalId : rules.currencyId} />
        </dd>
      </div>
      <div>
        <dt>{t(`ticket.max.${side}`)}</dt>
        <dd className="num">
          {maximum ? formatAmount(maximum, rules.amountDecimals) : '--'} {rules.base}
        </dd>
      </div>
      <div>
        <dt>{t('ticket.fee')}</dt>
        <dd className="num">
          {fee.gt(0) ? formatAmount(fee) : '--'} {feeAsset}
        </dd>
      </div>
    </dl>
  );
}

interface EnteredProps {
  rules: PairRules;
  value: 'amount' | 'total';
  onChange(value: 'amount' | 'total'): void;
}

/** A market buy says either what to get or what to spend. */
function EnteredSwitch({ rules, value, onChange }: EnteredProps) {
  const { t } = useTranslation('trade');
  return (
    <fieldset className={css.entered}>
      <legend className="sr-only">{t('ticket.by')}</legend>
      <button type="button" aria-pressed={value === 'amount'} onClick={() => onChange('amount')}>
        {t('ticket.amount')} ({rules.base})
      </button>
      <button type="button" aria-pressed={value === 'total'} onClick={() => onChange('total')}>
        {t('ticket.total')} ({rules.quote})
      </button>
    </fieldset>
  );
}

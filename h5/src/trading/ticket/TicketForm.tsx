import { ChevronDown, Settings2 } from 'lucide-react';
import {
  memo,
  type RefObject,
  useCallback,
  useEffect,
  useId,
  useImperativeHandle,
  useMemo,
  useReducer,
  useRef,
  useState,
} from 'react';
import { useTranslation } from 'react-i18next';
import { PercentChips, Stepper } from '@/components/ui';
import type { Path } from '@/config/paths';
import type { Quote } from '@/lib/api/types';
import { Decimal } from '@/lib/decimal';
import { formatAmount } from '@/lib/format';
import { type BookView, marketClient, topicKey } from '@/lib/market';
import { useBarred, useToken } from '@/lib/session';
import type { Session } from '@/lib/stocks';
import { whenText } from '@/lib/times';
import { useMarketGate } from '../market/gate';
import { judgingPrices, lastPrice } from '../market/prices';
import { BarredNotice } from './BarredNotice';
import { Choice } from './Choice';
import { kindOf, lacksPrice, lockPerUnit, paysOther } from './kinds';
import { convertible, type OtherPay } from './otherPay';
import { PreviewSheet, type UsePlace } from './PreviewSheet';
import { PriceFields } from './PriceFields';
import { gateOf, type Problem, ticketProblems } from './problems';
import { problemText } from './problemText';
import { type Funds, startTicket, type TicketAction, type TicketState, ticketReducer } from './reducer';
import { type PairRules, typed } from './rules';
import { SideSwitch } from './SideSwitch';
import { SubmitButton } from './SubmitButton';
import { summarize } from './summary';
import { TicketFacts } from './TicketFacts';
import css from './TicketForm.module.css';
import { TypeSheet } from './TypeSheet';
import { tifText } from './tifText';
import { Worth } from './Worth';

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
  /** Of a stock's market. */
  session?: Session | null;
  queues?: Quote['queues'];
  /** What a purchase can be paid with besides the quote asset. */
  other?: OtherPay | undefined;
  /** HKD for one USDT, where the pair is quoted in HKD. */
  rate?: Decimal | undefined;
  /** The book slice that is on the screen: the best prices without a subscription of its own. */
  bookKey: string;
  handle: RefObject<TicketHandle | null>;
  onPlaced(): void;
}

export const TicketForm = memo(function TicketForm(props: Props) {
  const { rules, funds, marketStatus, session = null, queues = 0, bookKey, handle, rate } = props;
  const { t } = useTranslation(['trade', 'stock']);
  const token = useToken();
  const product = rules.stock ? 'stocks' : 'spot';
  const barred = useBarred(product);
  const cannotConvert = useBarred('flash_exchange');
  const notice = useId();
  const marketGate = useMarketGate(rules.symbol, { marketStatus, session, queues });
  const reducer = useCallback(
    (state: TicketState, action: TicketAction) => ticketReducer(state, action, rules),
    [rules],
  );
  const [entered, dispatch] = useReducer(reducer, rules, startTicket);
  // What cannot be converted now, or in this country, is not paid with.
  const offered = cannotConvert ? undefined : props.other;
  const ticket: TicketState = offered || entered.payWith === '' ? entered : { ...entered, payWith: '' };
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
  // Whatever the country, what is held can be sold.
  const isBarred = barred && buy;
  const gate = gateOf(marketGate, ticket);
  const other = paysOther(ticket) ? offered : undefined;
  const spendable = useMemo(() => (other ? { ...funds, quote: convertible(other) } : funds), [funds, other]);
  const available = buy ? spendable.quote : funds.base;
  const book = marketClient.get<BookView>(bookKey);
  const opposite = (buy ? book?.asks : book?.bids) ?? [];
  const prices = judgingPrices(rules.symbol);
  const queued = gate === 'queues';
  const summary = summarize({ ticket, rules, funds: spendable, opposite: queued ? [] : opposite, ...prices });
  const problems = ticketProblems({ ticket, rules, summary, gate, available, payAsset: other?.asset, ...prices });
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
  const unit = kind.atMarket ? best?.times(rules.lockFee.plus(1)) : lockPerUnit(ticket, rules, prices.reference);
  const most = unit?.gt(0) ? spendable.quote.div(unit) : undefined;
  const maximum = buy ? most : funds.base;

  const known = token !== '' && funds.known;
  const lot = rules.stock && rules.step.gt(1) ? formatAmount(rules.step) : undefined;
  const quantity = (field: 'amount' | 'total') => (
    <div className={css.field}>
      <Stepper
        label={`${t(`ticket.${field}`)} (${field === 'total' ? rules.quote : rules.base})`}
        value={ticket[field]}
        error={fault(field)}
        onChange={(text) => dispatch({ type: field, text })}
        onStep={(direction) => dispatch({ type: field === 'total' ? 'stepTotal' : 'stepAmount', direction })}
      />
      {field === 'total' && <Worth amount={typed(ticket.total)} rate={rate} />}
      {field === 'amount' && lot && <p className={css.note}>{t('stock:ticket.lot', { lot })}</p>}
    </div>
  );

  function submit() {
    setTried(true);
    if (problems.length === 0) setShown('preview');
  }

  return (
    <section className={css.ticket} aria-label={t('ticket.label', { pair: rules.symbol })}>
      <BarredNotice product={product} id={notice} className={css.notice} />
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

      <PriceFields ticket={ticket} rules={rules} rate={rate} fault={fault} dispatch={touch} />

      {kind.total === 'spent' && buy && (
        <Choice<'amount' | 'total'>
          className={css.entered}
          label={t('ticket.by')}
          value={ticket.entered}
          onChange={(chosen) => dispatch({ type: 'entered', entered: chosen })}
          options={[
            { value: 'amount', label: `${t('ticket.amount')} (${rules.base})` },
            { value: 'total', label: `${t('ticket.total')} (${rules.quote})` },
          ]}
        />
      )}

      {quantity(byTotal ? 'total' : 'amount')}

      {offered && buy && kind.call === 'trade' && (
        <Choice<TicketState['payWith']>
          shown
          className={css.entered}
          label={t('stock:pay.with')}
          value={ticket.payWith}
          onChange={(payWith) => dispatch({ type: 'payWith', payWith })}
          options={[
            { value: '', label: rules.quote },
            { value: offered.asset, label: offered.asset },
          ]}
        />
      )}

      <PercentChips
        label={t('ticket.percent')}
        {...(ticket.percent === undefined ? {} : { value: ticket.percent })}
        disabled={!token}
        onChange={(percent) =>
          dispatch({
            type: 'percent',
            percent,
            funds: spendable,
            reference: prices.reference?.toNumber(),
          })
        }
      />

      {kind.total === 'follows' && quantity('total')}

      {kind.tif && (
        <button type="button" className={css.force} aria-haspopup="dialog" onClick={() => setShown('force')}>
          <span className={css.forceName}>{t('ticket.advanced')}</span>
          {tifText(ticket.tif, t)}
          <ChevronDown size={14} aria-hidden="true" />
        </button>
      )}

      <TicketFacts
        rules={rules}
        side={ticket.side}
        available={known ? (other?.available ?? available) : undefined}
        maximum={known ? maximum : undefined}
        fee={summary.fee}
        feeAsset={summary.feeAsset}
        transferLabel={props.transferLabel}
        other={other}
        rate={rate}
      />

      {queued && session && (
        <p className={css.note}>
          {session.next_open_ms > 0
            ? t('stock:ticket.queuedUntil', { time: whenText(session.next_open_ms, Date.now()) })
            : t('stock:ticket.queued')}
        </p>
      )}

      <SubmitButton
        label={t(queued ? `stock:submit.${ticket.side}` : `ticket.submit.${ticket.side}`, { asset: rules.base })}
        loginLabel={t('ticket.login')}
        buys={buy}
        gate={gate}
        className={css.submit}
        noticeId={isBarred ? notice : undefined}
        page={props.page}
        query={{ symbol: rules.symbol }}
        onSubmit={submit}
      />

      <TypeSheet
        open={shown === 'preview' ? undefined : shown}
        ticket={ticket}
        tifs={rules.tifs}
        dispatch={restart}
        onClose={() => setShown(undefined)}
      />
      <PreviewSheet
        open={shown === 'preview' && !isBarred}
        ticket={ticket}
        rules={rules}
        funds={funds}
        gate={gate}
        session={session}
        other={other}
        rate={rate}
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

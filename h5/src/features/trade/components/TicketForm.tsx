import clsx from 'clsx';
import { ArrowLeftRight, ChevronDown, Settings2 } from 'lucide-react';
import {
  memo,
  type RefObject,
  useCallback,
  useEffect,
  useImperativeHandle,
  useMemo,
  useReducer,
  useRef,
  useState,
} from 'react';
import { useTranslation } from 'react-i18next';
import { Button, IconButton, OptionList, PercentChips, Sheet, Stepper } from '@/components/ui';
import { PATHS } from '@/config/paths';
import type { Quote } from '@/lib/api/types';
import { Decimal } from '@/lib/decimal';
import { formatAmount } from '@/lib/format';
import { type BookView, marketClient, type StatusMap, type Ticker, type Trade, topicKey } from '@/lib/market';
import { navigateTo } from '@/lib/navigation';
import { useToken } from '@/lib/session';
import { useFunds } from '../api/account';
import { useMarketGate } from '../gate';
import { problemText } from '../problemText';
import { ticketProblems } from '../ticket/problems';
import {
  EMPTY_TICKET,
  type OrderKind,
  type TicketAction,
  type TicketState,
  type TimeInForce,
  ticketReducer,
} from '../ticket/reducer';
import type { PairRules } from '../ticket/rules';
import { summarize } from '../ticket/summary';
import { PreviewSheet } from './PreviewSheet';
import { SideSwitch } from './SideSwitch';
import css from './TicketForm.module.css';

export interface TicketHandle {
  level(price: number, size: number): void;
}

interface Props {
  rules: PairRules;
  marketStatus: Quote['market_status'];
  /** The book slice that is on the screen: the best prices without a subscription of its own. */
  bookKey: string;
  handle: RefObject<TicketHandle | null>;
}

const TIFS: readonly TimeInForce[] = ['GTC', 'IOC', 'FOK', 'POST_ONLY'];

function lastPrice(symbol: string): number | undefined {
  const trade = marketClient.get<readonly Trade[]>(topicKey.trades(symbol))?.[0];
  return trade?.price ?? marketClient.get<Ticker>(topicKey.ticker(symbol))?.last;
}

function referencePrice(rules: PairRules, symbolKey: string): Decimal | undefined {
  const index = marketClient.get<StatusMap>(topicKey.status)?.[symbolKey]?.index;
  const value = index && index > 0 ? index : lastPrice(rules.symbol);
  return value === undefined ? undefined : new Decimal(value);
}

export const TicketForm = memo(function TicketForm({ rules, marketStatus, bookKey, handle }: Props) {
  const { t } = useTranslation('trade');
  const token = useToken();
  const funds = useFunds(rules.currencyId, rules.legalId);
  const gate = useMarketGate(rules.symbol, marketStatus);
  const reducer = useCallback(
    (state: TicketState, action: TicketAction) => ticketReducer(state, action, rules),
    [rules],
  );
  const [ticket, dispatch] = useReducer(reducer, EMPTY_TICKET);
  const [shown, setShown] = useState<'type' | 'preview' | undefined>();
  const [tried, setTried] = useState(false);
  const [touched, setTouched] = useState(false);
  const lastLevel = useRef<number | undefined>(undefined);

  useImperativeHandle(handle, () => ({
    level(price, size) {
      dispatch({ type: 'level', price, size, again: lastLevel.current === price });
      lastLevel.current = price;
    },
  }));

  // A limit ticket starts at the market: the price the user sees is the one to improve upon.
  const empty = ticket.kind === 'limit' && ticket.price === '' && !touched;
  useEffect(() => {
    if (!empty) return;
    const fill = () => {
      const price = lastPrice(rules.symbol);
      if (price !== undefined) dispatch({ type: 'price', text: new Decimal(price).toFixed(rules.priceDecimals) });
      return price !== undefined;
    };
    if (fill()) return;
    const stop = marketClient.subscribe(topicKey.trades(rules.symbol), () => {
      if (fill()) stop();
    });
    return stop;
  }, [empty, rules]);

  const buy = ticket.side === 'buy';
  const available = buy ? funds.quote : funds.base;
  const asset = buy ? rules.quote : rules.base;
  const book = marketClient.get<BookView>(bookKey);
  const opposite = (buy ? book?.asks : book?.bids) ?? [];
  const summary = summarize({ ticket, rules, funds, opposite });
  const reference = referencePrice(rules, rules.symbol.replace('/', ''));
  const problems = ticketProblems({ ticket, rules, summary, gate, reference, available });
  const shownProblems = tried ? problems : problems.filter(({ code }) => !code.endsWith('Missing'));
  const fault = (field: 'price' | 'amount' | 'total') => {
    const problem = shownProblems.find((entry) => entry.field === field);
    return problem && problemText(problem, t);
  };
  const byTotal = ticket.kind === 'market' && ticket.entered === 'total';
  const touch = (action: TicketAction) => {
    setTouched(true);
    dispatch(action);
  };

  /** Another side or type is another order: what was missing in the last one is no reproach to it. */
  const restart = (action: TicketAction) => {
    setTried(false);
    dispatch(action);
  };

  const maximum = useMemo(() => {
    if (!buy) return funds.base;
    const price = summary.price ?? (opposite[0] ? new Decimal(opposite[0].price) : undefined);
    return price?.gt(0) ? funds.quote.div(price) : undefined;
  }, [buy, funds, summary.price, opposite]);

  function submit() {
    setTried(true);
    if (problems.length === 0) setShown('preview');
  }

  return (
    <section className={css.ticket} aria-label={t('ticket.label')}>
      <SideSwitch side={ticket.side} onChange={(side) => restart({ type: 'side', side })} />
      <button type="button" className={css.type} aria-haspopup="dialog" onClick={() => setShown('type')}>
        <Settings2 size={14} aria-hidden="true" />
        <span className={css.typeText}>{t(`ticket.${ticket.kind}`)}</span>
        <ChevronDown size={14} aria-hidden="true" />
      </button>

      {ticket.kind === 'limit' ? (
        <Stepper
          label={`${t('ticket.price')} (${rules.quote})`}
          value={ticket.price}
          error={fault('price')}
          onChange={(text) => touch({ type: 'price', text })}
          onStep={(direction) => touch({ type: 'stepPrice', direction, last: lastPrice(rules.symbol) })}
        />
      ) : (
        <p className={css.atMarket}>{t('ticket.atMarket')}</p>
      )}

      {ticket.kind === 'market' && buy && (
        <EnteredSwitch
          rules={rules}
          value={ticket.entered}
          onChange={(entered) => dispatch({ type: 'entered', entered })}
        />
      )}

      {byTotal ? (
        <Stepper
          label={`${t('ticket.total')} (${rules.quote})`}
          value={ticket.total}
          error={fault('total')}
          onChange={(text) => dispatch({ type: 'total', text })}
          onStep={(direction) => dispatch({ type: 'stepTotal', direction })}
        />
      ) : (
        <Stepper
          label={`${t('ticket.amount')} (${rules.base})`}
          value={ticket.amount}
          error={fault('amount')}
          onChange={(text) => dispatch({ type: 'amount', text })}
          onStep={(direction) => dispatch({ type: 'stepAmount', direction })}
        />
      )}

      <PercentChips
        label={t('ticket.percent')}
        {...(ticket.percent === undefined ? {} : { value: ticket.percent })}
        disabled={!token}
        onChange={(percent) => dispatch({ type: 'percent', percent, funds, opposite: opposite[0]?.price })}
      />

      {ticket.kind === 'limit' && (
        <Stepper
          label={`${t('ticket.total')} (${rules.quote})`}
          value={ticket.total}
          error={fault('total')}
          onChange={(text) => dispatch({ type: 'total', text })}
          onStep={(direction) => dispatch({ type: 'stepTotal', direction })}
        />
      )}

      {ticket.kind === 'limit' && (
        <button type="button" className={css.force} aria-haspopup="dialog" onClick={() => setShown('type')}>
          <span className={css.forceName}>{t('ticket.advanced')}</span>
          {t(`ticket.tif.${ticket.tif}`)}
          <ChevronDown size={14} aria-hidden="true" />
        </button>
      )}

      <dl className={css.facts}>
        <div>
          <dt>{t('ticket.available')}</dt>
          <dd className="num">
            {token && funds.known ? formatAmount(available.toFixed()) : '--'} {asset}
            <IconButton
              label={t('ticket.transfer')}
              className={css.transfer}
              onClick={() => navigateTo(PATHS.transfer, { currency: buy ? rules.legalId : rules.currencyId })}
            >
              <ArrowLeftRight size={13} />
            </IconButton>
          </dd>
        </div>
        <div>
          <dt>{t(`ticket.max.${ticket.side}`)}</dt>
          <dd className="num">
            {token && funds.known && maximum ? formatAmount(maximum.toFixed(), rules.amountDecimals) : '--'}{' '}
            {rules.base}
          </dd>
        </div>
        <div>
          <dt>{t('ticket.fee')}</dt>
          <dd className="num">
            {summary.fee.gt(0) ? formatAmount(summary.fee.toFixed()) : '--'} {summary.feeAsset}
          </dd>
        </div>
      </dl>

      {token ? (
        <Button
          block
          className={clsx(css.submit)}
          tone={buy ? 'up' : 'down'}
          disabled={gate !== 'open'}
          throttleMs={1000}
          onClick={submit}
        >
          {gate === 'open' ? t(`ticket.submit.${ticket.side}`, { asset: rules.base }) : t(`gate.${gate}`)}
        </Button>
      ) : (
        <Button block className={css.submit} onClick={() => navigateTo(PATHS.login, { redirect: loginReturn(rules) })}>
          {t('ticket.login')}
        </Button>
      )}

      <TypeSheet open={shown === 'type'} ticket={ticket} dispatch={restart} onClose={() => setShown(undefined)} />
      <PreviewSheet
        open={shown === 'preview'}
        ticket={ticket}
        rules={rules}
        funds={funds}
        gate={gate}
        reference={reference}
        onClose={() => setShown(undefined)}
        onPlaced={() => {
          setShown(undefined);
          setTried(false);
          dispatch({ type: 'sent' });
        }}
      />
    </section>
  );
});

const loginReturn = (rules: PairRules) => `${PATHS.currency}?symbol=${encodeURIComponent(rules.symbol)}`;

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

interface TypeProps {
  open: boolean;
  ticket: TicketState;
  dispatch(action: TicketAction): void;
  onClose(): void;
}

function TypeSheet({ open, ticket, dispatch, onClose }: TypeProps) {
  const { t } = useTranslation('trade');
  return (
    <Sheet open={open} onClose={onClose} title={t('ticket.type')}>
      <OptionList<OrderKind>
        label={t('ticket.type')}
        value={ticket.kind}
        options={(['limit', 'market'] as const).map((kind) => ({
          value: kind,
          label: t(`ticket.${kind}`),
          note: t(`ticket.${kind}Note`),
        }))}
        onChange={(kind) => {
          dispatch({ type: 'kind', kind });
          if (kind === 'market') onClose();
        }}
      />
      {ticket.kind === 'limit' && (
        <>
          <h3 className={css.advanced}>{t('ticket.advanced')}</h3>
          <OptionList<TimeInForce>
            label={t('ticket.advanced')}
            value={ticket.tif}
            options={TIFS.map((tif) => ({
              value: tif,
              label: t(`ticket.tif.${tif}`),
              note: t(`ticket.tif.${tif}Note`),
            }))}
            onChange={(tif) => {
              dispatch({ type: 'tif', tif });
              onClose();
            }}
          />
        </>
      )}
    </Sheet>
  );
}

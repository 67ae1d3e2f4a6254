/**
 * Owns: the form that enters an option, with what it costs, pays and is worth told beside it.
 * Never does: name a price; the exchange enters at its own last tick.
 */
import { TrendingDown, TrendingUp } from 'lucide-react';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, cleanDecimal, Input } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { useAskCouponsAgain } from '@/lib/api/coupons';
import { tellOutcome } from '@/lib/api/tellOutcome';
import type { Quote } from '@/lib/api/types';
import { Decimal, plain } from '@/lib/decimal';
import { formatAmount, formatPercent } from '@/lib/format';
import { usePrivateEvents } from '@/lib/market';
import { hrefOf, navigateTo } from '@/lib/navigation';
import { useBarred, useToken } from '@/lib/session';
import { useAtom } from '@/lib/state';
import { BarredNotice, Fact, Facts, SideSwitch, TransferButton, Warning } from '@/trading';
import type { Coin, Term } from './api/desk';
import { useEnter } from './api/enter';
import type { Option } from './api/options';
import { useStakeCoupons } from './api/stakeCoupons';
import { chosenTerm, draftAtom, limitsOf, problemOf, problemText, sideOff, sideOpen, stakeOf } from './draft';
import css from './EntryForm.module.css';
import type { OptionGate } from './gate';
import { type Estimate, estimate, estimateByCoupon } from './numbers';
import { StakeCoupons } from './StakeCoupons';
import { oddsText, optionText, sideName, signedMoney, spanText } from './state';

export interface EntryProps {
  quote: Quote;
  gate: OptionGate;
  terms: readonly Term[];
  /** What is staked; undefined while the account has not told, and of a guest. */
  coin: Coin | undefined;
  available: Decimal | undefined;
  /** How many options are open. */
  open: number;
  onEntered(option: Option | undefined): void;
}

const NOTHING = new Decimal(0);
const BREAK_EVEN_PLACES = 4;

export function EntryForm({ quote, gate, terms, coin, available, open, onEntered }: EntryProps) {
  const { t } = useTranslation(['seconds', 'trade', 'common']);
  const [kept, setDraft] = useAtom(draftAtom);
  const barred = useBarred('options');
  const notice = useId();
  const coupons = useStakeCoupons(coin?.name);
  const coupon = coupons?.find(({ id }) => id === kept.coupon);
  // Money is never taken where a coupon was meant.
  const lost = kept.coupon !== 0 && !coupon;
  const draft = coupon ? { ...kept, stake: coupon.price } : kept;
  const [tried, setTried] = useState(false);
  const { phase, enter } = useEnter();
  const askCouponsAgain = useAskCouponsAgain();
  usePrivateEvents(({ event }) => event === 'coupon' && askCouponsAgain());
  const { type } = draft;
  const term = chosenTerm(terms, draft);
  const stake = stakeOf(draft);
  const asset = coin?.name ?? quote.legal_name;
  const figures =
    term &&
    coin &&
    stake &&
    (coupon ? estimateByCoupon(stake, new Decimal(term.profit_ratio)) : charged(stake, term, coin));
  const limits = term && coin && limitsOf(term, coin);
  const problem =
    limits && coin
      ? problemOf({
          draft,
          limits,
          cost: figures?.cost,
          available: available ?? NOTHING,
          open,
          mostOpen: coin.micro_holdtrade_max,
        })
      : undefined;
  const lacks = problem?.code === 'insufficient' && figures ? figures.cost.minus(available ?? NOTHING) : undefined;
  const shownFault =
    problem && !lacks && (tried || (problem.code !== 'missing' && problem.code !== 'open'))
      ? problemText(problem, asset, t)
      : undefined;
  const shut = term && !sideOpen(term, type);
  const off = gate !== 'open' ? t(`trade:gate.${gate}`) : shut ? t(`off.${term.status === 1 ? 'full' : 'closed'}`) : '';

  async function submit() {
    setTried(true);
    if (!term || !coin || !stake || problem || lost) return;
    const entry = {
      match_id: quote.id,
      currency_id: coin.id,
      type,
      seconds: term.seconds,
      version: term.version,
      number: plain(stake),
      ...(coupon && { coupon: coupon.id }),
    };
    const named = { ...entry, symbol_name: quote.symbol, currency_name: asset };
    const { outcome, option } = await enter(entry, optionText(named, t));
    // Where it is shown at once nothing else has to say that it is there.
    const done = option
      ? outcome?.kind === 'done'
      : tellOutcome(outcome, { done: t('entry.entered'), notReceived: t('common:notReceived') });
    if (coupon) askCouponsAgain();
    if (!done) return;
    setTried(false);
    if (coupon) setDraft({ ...kept, coupon: 0, stake: '' });
    onEntered(option);
  }

  return (
    <section className={css.form} data-side={type} aria-label={t('entry.label', { pair: quote.symbol })}>
      <BarredNotice product="options" id={notice} />
      <SideSwitch
        label={t('direction')}
        names={{ buy: t('rise'), sell: t('fall') }}
        side={type === 1 ? 'buy' : 'sell'}
        onChange={(side) => setDraft({ ...kept, type: side === 'buy' ? 1 : 2 })}
      />
      <TermChips terms={terms} chosen={term} type={type} onChoose={(seconds) => setDraft({ ...kept, seconds })} />
      {coupons && (
        <StakeCoupons coupons={coupons} chosen={coupon} onChoose={(id) => setDraft({ ...kept, coupon: id })} />
      )}
      {coupons && lost && <Warning>{t('entry.couponGone')}</Warning>}
      <Input
        label={
          limits
            ? t('entry.stakeOf', { min: formatAmount(limits.min), max: formatAmount(limits.max) })
            : t('entry.stake')
        }
        inputMode="decimal"
        autoComplete="off"
        className={css.stake}
        value={draft.stake}
        readOnly={coupon !== undefined}
        suffix={asset}
        error={shownFault}
        onChange={(event) => setDraft({ ...kept, coupon: 0, stake: cleanDecimal(event.target.value) })}
      />
      {coin && !coupon && (
        <QuickStakes coin={coin} stake={stake} onChoose={(number) => setDraft({ ...kept, coupon: 0, stake: number })} />
      )}
      {coin && lacks && <Lacks coin={coin} amount={lacks} />}
      <Facts>
        <Fact name={t('entry.available')}>
          <span className={css.available}>
            {available ? formatAmount(available, 4) : '--'} {asset}
            {coin && <TransferButton label={t('entry.transfer')} currency={coin.id} to="micro" />}
          </span>
        </Fact>
        <Charges figures={figures} percent={coupon ? '0' : coin?.micro_trade_fee} asset={asset} />
      </Facts>
      {coupon ? <p className={css.note}>{t('entry.couponNote')}</p> : <Honest figures={figures} asset={asset} />}
      <p className={css.note}>{t('entry.house')}</p>
      {phase === 'checking' && <Warning>{t('entry.checking')}</Warning>}
      <div className={css.send}>
        <Send
          symbol={quote.symbol}
          type={type}
          off={off}
          busy={phase !== 'idle'}
          disabled={!coin || lacks !== undefined || lost}
          noticeId={barred ? notice : undefined}
          onSend={() => void submit()}
        />
      </div>
    </section>
  );
}

const charged = (stake: Decimal, term: Term, coin: Coin): Estimate =>
  estimate(stake, new Decimal(term.profit_ratio), new Decimal(coin.micro_trade_fee));

interface ChipsProps {
  terms: readonly Term[];
  chosen: Term | undefined;
  type: 1 | 2;
  onChoose(seconds: number): void;
}

/** Durations with their odds; one that takes nothing of this side says so. */
function TermChips({ terms, chosen, type, onChoose }: ChipsProps) {
  const { t } = useTranslation('seconds');
  return (
    <fieldset className={css.terms}>
      <legend className={css.name}>{t('entry.expiry')}</legend>
      {terms.map((term) => (
        <button
          key={term.id}
          type="button"
          className={css.term}
          aria-pressed={term === chosen}
          disabled={!sideOpen(term, type)}
          onClick={() => onChoose(term.seconds)}
        >
          <span>{spanText(term.seconds, t)}</span>{' '}
          <b className="num">
            {sideOpen(term, type) ? oddsText(term.profit_ratio) : t(term.status === 1 ? 'entry.full' : 'entry.closed')}
          </b>
        </button>
      ))}
    </fieldset>
  );
}

interface QuickProps {
  coin: Coin;
  stake: Decimal | undefined;
  onChoose(number: string): void;
}

function QuickStakes({ coin, stake, onChoose }: QuickProps) {
  const { t } = useTranslation('seconds');
  return (
    <fieldset className={css.quick}>
      <legend className="sr-only">{t('entry.quick')}</legend>
      {coin.micro_numbers.map(({ number }) => (
        <button
          key={number}
          type="button"
          className="num"
          aria-pressed={stake?.eq(number) ?? false}
          onClick={() => onChoose(number)}
        >
          {formatAmount(number)}
        </button>
      ))}
    </fieldset>
  );
}

/** What the account is short of, and the way to more of it. */
function Lacks({ coin, amount }: { coin: Coin; amount: Decimal }) {
  const { t } = useTranslation('seconds');
  return (
    <div className={css.lacks} role="status">
      <span>{t('entry.missing', { amount: formatAmount(amount), asset: coin.name })}</span>
      <Button size="s" tone="secondary" onClick={() => navigateTo(PATHS.transfer, { currency: coin.id, to: 'micro' })}>
        {t('entry.transferNow')}
      </Button>
    </div>
  );
}

interface SendProps {
  symbol: string;
  type: 1 | 2;
  /** Why nothing can be entered now; empty when something can. */
  off: string;
  busy: boolean;
  disabled: boolean;
  /** Of what is told of the country that bars it. */
  noticeId: string | undefined;
  onSend(): void;
}

function Send({ symbol, type, off, busy, disabled, noticeId, onSend }: SendProps) {
  const { t } = useTranslation('seconds');
  if (!useToken()) {
    const redirect = hrefOf(PATHS.options, { symbol });
    return (
      <Button block size="l" onClick={() => navigateTo(PATHS.login, { redirect })}>
        {t('entry.login')}
      </Button>
    );
  }
  return (
    <Button
      block
      size="l"
      tone={type === 1 ? 'up' : 'down'}
      icon={!off && (type === 1 ? <TrendingUp size={18} /> : <TrendingDown size={18} />)}
      loading={busy}
      disabled={off !== '' || disabled || noticeId !== undefined}
      aria-describedby={noticeId}
      throttleMs={1200}
      onClick={onSend}
    >
      {off || t(type === 1 ? 'entry.submitRise' : 'entry.submitFall')}
    </Button>
  );
}

interface FiguresProps {
  figures: Estimate | undefined;
  asset: string;
}

function Charges({ figures, percent, asset }: FiguresProps & { percent: string | undefined }) {
  const { t } = useTranslation('seconds');
  const amount = (value: Decimal | undefined) => `${value ? formatAmount(value) : '--'} ${asset}`;
  return (
    <>
      <Fact name={t('entry.fee', { percent: percent === undefined ? '--' : formatPercent(percent, 2) })}>
        {amount(figures?.fee)}
      </Fact>
      <Fact name={t('entry.cost')}>{amount(figures?.cost)}</Fact>
      <Fact name={t('entry.payout')}>
        <b className={css.payout}>{amount(figures?.payout)}</b>
      </Fact>
    </>
  );
}

/** How good the odds are, before anything is paid. */
function Honest({ figures, asset }: FiguresProps) {
  const { t } = useTranslation('seconds');
  return (
    <dl className={css.honest}>
      <div>
        <dt>{t('entry.breakEven')}</dt>
        <dd className="num">{figures ? formatPercent(figures.breakEven, BREAK_EVEN_PLACES) : '--'}</dd>
        <dd className={css.why}>{t('entry.breakEvenNote')}</dd>
      </div>
      <div>
        <dt>{t('entry.expected')}</dt>
        <dd className="num" data-loses={figures?.expected.lt(0) || undefined}>
          {figures ? `${signedMoney(figures.expected)} ${asset}` : '--'}
        </dd>
        <dd className={css.why}>{t('entry.expectedNote')}</dd>
      </div>
    </dl>
  );
}

interface SidesProps {
  gate: OptionGate;
  terms: readonly Term[];
  onChoose(type: 1 | 2): void;
}

/** Two large buttons: the one that is pressed opens the form. */
export function Sides({ gate, terms, onChoose }: SidesProps) {
  const { t } = useTranslation(['seconds', 'trade']);
  const barred = useBarred('options');
  const notice = useId();
  return (
    <div className={css.sides}>
      <BarredNotice product="options" id={notice} className={css.notice} />
      {([1, 2] as const).map((type) => {
        const off = sideOff(terms, type);
        const best = Decimal.max(0, ...terms.filter((term) => sideOpen(term, type)).map((term) => term.profit_ratio));
        const why = gate !== 'open' ? t(`trade:gate.${gate}`) : off && t(`off.${off}`);
        const Way = type === 1 ? TrendingUp : TrendingDown;
        return (
          <button
            key={type}
            type="button"
            className={css.side}
            data-type={type}
            aria-haspopup="dialog"
            disabled={why !== undefined || barred}
            aria-describedby={barred ? notice : undefined}
            onClick={() => onChoose(type)}
          >
            <span>
              <Way size={20} strokeWidth={2.5} aria-hidden="true" />
              {sideName(type, t)}
            </span>{' '}
            <small className="num">{why ?? t('upTo', { percent: oddsText(best) })}</small>
          </button>
        );
      })}
      <p className={css.note}>{t('question')}</p>
    </div>
  );
}

/** One option: its countdown while it runs, then what became of it, with its proof. */
import { Ban, Check, Equal, X } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, ErrorState, Sheet, SkeletonRows } from '@/components/ui';
import { Decimal } from '@/lib/decimal';
import { formatAmount, formatDateTime, formatPrice, quickPrice } from '@/lib/format';
import { useMarketStatus, useServerNow } from '@/lib/market';
import { Fact, Facts } from '@/trading';
import { type Option, useOption } from './api/options';
import { Countdown } from './Countdown';
import { estimate, estimateByCoupon, netAt, netOf, standing } from './numbers';
import css from './OptionSheet.module.css';
import { isOver, type Outcome, oddsText, phaseOf, sideName, signedMoney, spanText } from './state';
import { Verification } from './Verification';

interface Props {
  /** Which one; undefined: the sheet is closed. */
  id: number | undefined;
  /** As a list has it. */
  listed: Option | undefined;
  onClose(): void;
}

const TICK_MS = 500;

export function OptionSheet({ id, listed, onClose }: Props) {
  const { t } = useTranslation('seconds');
  // It stays while the sheet slides away.
  const [shown, setShown] = useState(id);
  if (id !== undefined && id !== shown) setShown(id);
  const { option, error, refetch } = useOption(shown, listed?.id === shown ? listed : undefined);
  const over = option?.status === 3;
  return (
    <Sheet
      open={id !== undefined}
      onClose={onClose}
      title={option ? t('option.title', { direction: sideName(option.type, t), pair: option.symbol_name }) : t('title')}
      footer={
        over && (
          <Button block size="l" onClick={onClose}>
            {t('option.continue')}
          </Button>
        )
      }
    >
      {Boolean(error) && <ErrorState compact={option !== undefined} error={error} onRetry={() => void refetch()} />}
      {!option && !error && <SkeletonRows rows={4} icon={false} />}
      {option && (over ? <Ended option={option} /> : <Running option={option} />)}
    </Sheet>
  );
}

/** As many decimals as the prices of the option have. */
const placesOf = ({ open_price, end_price }: Option): number =>
  Math.max(2, new Decimal(open_price).decimalPlaces(), new Decimal(end_price ?? 0).decimalPlaces());

function Running({ option }: { option: Option }) {
  const { t } = useTranslation('seconds');
  const index = useMarketStatus(option.symbol_name)?.index;
  const phase = phaseOf(option, useServerNow(TICK_MS));
  const places = placesOf(option);
  const { currency_name: asset } = option;
  const ends = index ? standing(option, String(index)) : undefined;
  const net = ends && netAt(option, ends);
  const [stake, ratio] = [new Decimal(option.number), new Decimal(option.profit_ratio)];
  const { payout } = option.coupon === null ? estimate(stake, ratio, new Decimal(0)) : estimateByCoupon(stake, ratio);
  return (
    <>
      <Countdown option={option} />
      <p className={css.below}>
        {phase === 'settling'
          ? t('option.settlingNote')
          : t('option.expires', { time: formatDateTime(option.expires_ms) })}
      </p>
      <dl className={css.prices}>
        <div>
          <dt>{t('option.openPrice')}</dt>
          <dd className="num">{formatPrice(option.open_price, places)}</dd>
          <dd className={css.tick}>{t('option.tick', { number: option.open_tick })}</dd>
        </div>
        <div>
          <dt>{t('option.now')}</dt>
          <dd className="num" data-ends={ends}>
            {index ? quickPrice(index, places) : '--'}
          </dd>
          <dd className={css.tick}>{ends && t(`standing.${ends}`)}</dd>
        </div>
      </dl>
      <p className={css.ifNow} data-ends={ends}>
        <span>{t('option.ifNow')}</span>
        <b className="num">{net ? `${signedMoney(net)} ${asset}` : '--'}</b>
      </p>
      <Facts>
        <Stake option={option} />
        <Fact name={t('option.odds')}>{oddsText(option.profit_ratio)}</Fact>
        <Fact name={t('option.payout')}>
          {formatAmount(payout)} {asset}
        </Fact>
        <Fact name={t('option.fee')}>
          {formatAmount(option.fee)} {asset}
        </Fact>
        <Fact name={t('option.counterparty')}>{t('option.house')}</Fact>
        <Fact name={t('option.number')}>{option.show_micro_id}</Fact>
      </Facts>
    </>
  );
}

function Stake({ option }: { option: Option }) {
  const { t } = useTranslation('seconds');
  return (
    <Fact name={t(option.coupon === null ? 'option.stake' : 'option.byCoupon')}>
      {formatAmount(option.number)} {option.currency_name}
    </Fact>
  );
}

const SIGNS = { win: Check, loss: X, tie: Equal, void: Ban } as const;

function Ended({ option }: { option: Option }) {
  const { t } = useTranslation('seconds');
  const phase = phaseOf(option, option.expires_ms);
  const outcome: Outcome = isOver(phase) ? phase : 'void';
  const Sign = SIGNS[outcome];
  const { currency_name: asset } = option;
  const places = placesOf(option);
  return (
    <>
      <div className={css.result} data-ends={outcome}>
        <span className={css.sign}>
          <Sign size={26} strokeWidth={2.6} aria-hidden="true" />
        </span>
        <p>{t(`outcome.${outcome}`)}</p>
        <b className="num">
          {signedMoney(netOf(option))} <small>{asset}</small>
        </b>
      </div>
      <p className={css.below}>{t(`outcomeNote.${backNote(option, outcome)}`)}</p>
      <dl className={css.prices}>
        <div>
          <dt>{t('option.openPrice')}</dt>
          <dd className="num">{formatPrice(option.open_price, places)}</dd>
          <dd className={css.tick}>{t('option.tick', { number: option.open_tick })}</dd>
        </div>
        <div>
          <dt>{t('option.endPrice')}</dt>
          <dd className="num" data-ends={outcome}>
            {option.end_price === null ? '--' : formatPrice(option.end_price, places)}
          </dd>
          <dd className={css.tick}>{option.close_tick !== null && t('option.tick', { number: option.close_tick })}</dd>
        </div>
      </dl>
      <Facts>
        <Fact name={t('option.expiry')}>{spanText(option.seconds, t)}</Fact>
        <Stake option={option} />
        <Fact name={t('option.odds')}>{oddsText(option.profit_ratio)}</Fact>
        <Fact name={t('option.fee')}>
          {formatAmount(option.fee)} {asset}
        </Fact>
        <Fact name={t('option.back')}>
          {formatAmount(paidBack(option))} {asset}
        </Fact>
        <Fact name={t('option.counterparty')}>{t('option.house')}</Fact>
        <Fact name={t('option.ended')}>{formatDateTime(option.expires_ms)}</Fact>
        <Fact name={t('option.number')}>{option.show_micro_id}</Fact>
      </Facts>
      <Verification key={option.id} option={option} outcome={outcome} paid={paidBack(option)} />
    </>
  );
}

/** A coupon comes back where a stake would. */
const backNote = ({ coupon }: Option, outcome: Outcome) =>
  coupon !== null && (outcome === 'tie' || outcome === 'void') ? 'coupon' : outcome;

/** Stake, unless it was a coupon, and what was won; of a void one the fee as well. */
function paidBack({ number, fact_profits, fee, is_void, coupon }: Option): Decimal {
  const back = new Decimal(coupon === null ? number : 0).plus(fact_profits);
  return is_void ? back.plus(fee) : back;
}

import { TrendingDown, TrendingUp } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Decimal } from '@/lib/decimal';
import { formatAmount, formatMoment, formatPrice } from '@/lib/format';
import { useMarketStatus } from '@/lib/market';
import type { Option } from './api/options';
import { TimeLeft } from './Countdown';
import { netAt, netOf, standing } from './numbers';
import css from './OptionRow.module.css';
import { oddsText, optionText, outcomeOf, sideName, signedMoney, spanText } from './state';

interface Props {
  option: Option;
  onOpen(option: Option): void;
}

const placesOf = (price: string): number => Math.max(2, new Decimal(price).decimalPlaces());
const priceText = (price: string | null): string => (price === null ? '--' : formatPrice(price, placesOf(price)));

/** An option of a list: while it runs with what it would bring now, afterwards with what it brought. */
export function OptionRow({ option, onOpen }: Props) {
  const { t } = useTranslation('seconds');
  const over = option.status === 3;
  const Way = option.type === 1 ? TrendingUp : TrendingDown;
  return (
    <article className={css.row} aria-label={optionText(option, t)}>
      <button
        type="button"
        className={css.open}
        aria-haspopup="dialog"
        aria-label={t('list.details', { option: optionText(option, t) })}
        onClick={() => onOpen(option)}
      />
      <div className={css.top}>
        <span className={css.side} data-type={option.type}>
          <Way size={13} strokeWidth={2.8} aria-hidden="true" />
          {sideName(option.type, t)}
        </span>
        <b>{option.symbol_name}</b>
        <small className="num">
          {spanText(option.seconds, t)} · {oddsText(option.profit_ratio)}
        </small>
        <span className={css.end}>{over ? <Result option={option} /> : <TimeLeft option={option} />}</span>
      </div>
      <dl className={css.figures}>
        <div>
          <dt>{t(option.coupon === null ? 'option.stake' : 'option.byCoupon')}</dt>
          <dd className="num">
            {formatAmount(option.number)} <small>{option.currency_name}</small>
          </dd>
        </div>
        <div>
          <dt>{t('option.openPrice')}</dt>
          <dd className="num">{priceText(option.open_price)}</dd>
        </div>
        {over ? (
          <div>
            <dt>{t('option.endPrice')}</dt>
            <dd className="num">{priceText(option.end_price)}</dd>
          </div>
        ) : (
          <IfNow option={option} />
        )}
      </dl>
      <p className={`num ${css.time}`}>
        {over
          ? `${t('option.ended')} ${formatMoment(option.expires_ms)}`
          : t('option.expires', { time: formatMoment(option.expires_ms) })}
      </p>
    </article>
  );
}

function Result({ option }: { option: Option }) {
  const { t } = useTranslation('seconds');
  const outcome = outcomeOf(option);
  return (
    <b className={`num ${css.result}`} data-ends={outcome}>
      <small>{t(`outcome.${outcome}`)}</small> {signedMoney(netOf(option))}
    </b>
  );
}

function IfNow({ option }: { option: Option }) {
  const { t } = useTranslation('seconds');
  const index = useMarketStatus(option.symbol_name)?.index;
  const ends = index ? standing(option, String(index)) : undefined;
  return (
    <div>
      <dt>{t('option.ifNow')}</dt>
      <dd className={`num ${css.result}`} data-ends={ends}>
        {ends ? signedMoney(netAt(option, ends)) : '--'}
      </dd>
    </div>
  );
}

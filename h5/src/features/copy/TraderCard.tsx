import { useTranslation } from 'react-i18next';
import { Avatar, Badge, Button } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { formatAmount, formatPercent } from '@/lib/format';
import { navigateTo } from '@/lib/navigation';
import { useThrottled } from '@/lib/throttle';
import type { FollowTrader } from './api/traders';
import { Figure, Figures } from './Figures';
import { change, gain } from './show';
import css from './TraderCard.module.css';

interface Props {
  trader: FollowTrader;
  /** The reader's own card: nobody follows oneself. */
  own: boolean;
  /** Of what is told of the country that bars following. */
  noticeId: string | undefined;
}

/** A trader of the list: what was gained, and beside it what was lost and what followers did not get. */
export function TraderCard({ trader, own, noticeId }: Props) {
  const { t } = useTranslation('copy');
  const open = useThrottled(() => navigateTo(PATHS.followTrader, { uid: trader.id }));
  const [profit, yielded, today, worst] = [
    gain(trader.total_profits),
    change(trader.income_rate),
    gain(trader.today_profit),
    gain(trader.worst_day),
  ];
  return (
    <article className={css.card} aria-label={trader.nickname}>
      <header className={css.head}>
        <button type="button" className={css.open} onClick={() => open()}>
          <Avatar src={trader.head_portrait || undefined} name={trader.nickname} size={40} />
          <span className={css.who}>
            <b>{trader.nickname}</b>
            {trader.signature && <span>{trader.signature}</span>}
          </span>
        </button>
        {trader.is_followed && <Badge tone="base">{t('index.followed')}</Badge>}
        {!own && (
          <Button
            size="s"
            tone={trader.is_followed ? 'secondary' : 'primary'}
            disabled={noticeId !== undefined && !trader.is_followed}
            aria-describedby={trader.is_followed ? undefined : noticeId}
            onClick={() => navigateTo(PATHS.follow, { uid: trader.id })}
          >
            {t(trader.is_followed ? 'index.edit' : 'index.follow')}
          </Button>
        )}
      </header>
      <div className={css.large}>
        <p>
          <span>{t('figure.profit')} (USDT)</span>
          <b className="num" data-tone={profit.tone}>
            {profit.text}
          </b>
        </p>
        <p>
          <span>{t('figure.yield')}</span>
          <b className="num" data-tone={yielded.tone}>
            {yielded.text}
          </b>
        </p>
      </div>
      <Figures>
        <Figure name={t('figure.worstDay')} tone={worst.tone}>
          {worst.text}
        </Figure>
        <Figure name={t('figure.drawdown')} tone="down">
          {formatPercent(trader.drawdown, 2)}
        </Figure>
        <Figure name={t('figure.today')} tone={today.tone}>
          {today.text}
        </Figure>
        <Figure name={t('figure.accuracy')}>
          {formatPercent(trader.correct_rate, 2)} <small>({formatAmount(trader.closed_count)})</small>
        </Figure>
        <Figure name={t('figure.followers')}>{formatAmount(trader.follow_num)}</Figure>
        <Figure name={t('figure.skips')}>{formatAmount(trader.skips)}</Figure>
      </Figures>
    </article>
  );
}

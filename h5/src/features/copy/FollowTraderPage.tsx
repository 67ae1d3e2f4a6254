/** One trader: figures, closed trades, and the way to follow, to change it and to stop. */
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { Avatar, Button, Empty, ErrorState, InfiniteList, NavBar, PullRefresh, SkeletonRows } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { BusinessError } from '@/lib/api/errors';
import { formatAmount, formatMoment, formatPercent, formatPrice, parseServerTime } from '@/lib/format';
import { navigateTo, redirectTo } from '@/lib/navigation';
import { useBarred, useSession } from '@/lib/session';
import { BarredNotice, useCopyEvents } from '@/trading';
import { type FollowDetail, type FollowTrade, useTrader, useTraderHistory } from './api/traders';
import { Figure, Figures } from './Figures';
import css from './FollowTraderPage.module.css';
import { StopDialog } from './StopDialog';
import { asOf, change, gain, positionText } from './show';

export default function FollowTraderPage() {
  const { t } = useTranslation('copy');
  const [params] = useSearchParams();
  const id = Number(params.get('uid')) || 0;
  const { data, error, refetch } = useTrader(id);
  useCopyEvents();
  const gone = id <= 0 || (error instanceof BusinessError && !data);
  return (
    <>
      <NavBar title={data?.trader_info.nickname || t('trader.title')} />
      {gone ? (
        <Empty
          title={t('trader.unknown')}
          action={{ label: t('trader.toList'), onClick: () => redirectTo(PATHS.followIndex) }}
        />
      ) : (
        <>
          {error && <ErrorState compact={Boolean(data)} error={error} onRetry={() => void refetch()} />}
          {!data && !error && <SkeletonRows rows={8} icon={false} />}
          {data && <Trader key={id} detail={data} onRefresh={refetch} />}
        </>
      )}
    </>
  );
}

function Trader({ detail, onRefresh }: { detail: FollowDetail; onRefresh(): Promise<unknown> }) {
  const { t } = useTranslation('copy');
  const { user } = useSession();
  const { trader_info: who, data } = detail;
  const history = useTraderHistory(who.id);
  const own = who.id === user?.id;
  return (
    <>
      <PullRefresh onRefresh={() => Promise.all([onRefresh(), history.refetch()])}>
        <section className={css.who}>
          <Avatar src={who.head_portrait || undefined} name={who.nickname} size={52} />
          <div>
            <p className={css.name}>{who.nickname}</p>
            {who.signature && <p className={css.signature}>{who.signature}</p>}
          </div>
        </section>
        <section className={css.stats} aria-label={t('trader.stats')}>
          <Stats data={data} />
          <p className={`num ${css.asOf}`}>{asOf(data, t)}</p>
        </section>
        {own && <p className={css.hint}>{t('trader.you')}</p>}
        {who.is_trader === 0 && <p className={css.hint}>{t('trader.left')}</p>}
        {detail.follow && <Terms follow={detail.follow} />}
        <h2 className={css.heading}>{t('trader.history')}</h2>
        <InfiniteList
          {...history}
          label={t('trader.history')}
          rowKey={(trade) => trade.id}
          renderRow={(trade) => <Trade trade={trade} />}
          skeleton={<SkeletonRows rows={5} icon={false} />}
          empty={<Empty title={t('trader.noHistory')} note={t('trader.noHistoryNote')} />}
        />
      </PullRefresh>
      {!own && <Actions detail={detail} />}
    </>
  );
}

function Stats({ data }: Pick<FollowDetail, 'data'>) {
  const { t } = useTranslation('copy');
  const [profit, yielded] = [gain(data.total_profits), change(data.total_income_rate)];
  const [yesterday, worst] = [change(data.yesterday_profits), gain(data.worst_day)];
  return (
    <Figures>
      <Figure name={`${t('figure.profit')} (USDT)`} tone={profit.tone}>
        {profit.text}
      </Figure>
      <Figure name={t('figure.yield')} tone={yielded.tone}>
        {yielded.text}
      </Figure>
      <Figure name={t('figure.yesterday')} tone={yesterday.tone}>
        {yesterday.text}
      </Figure>
      <Figure name={`${t('figure.worstDay')} (USDT)`} tone={worst.tone}>
        {worst.text}
      </Figure>
      <Figure name={t('figure.drawdown')} tone="down">
        {formatPercent(data.drawdown, 2)}
      </Figure>
      <Figure name={t('figure.accuracy')}>{formatPercent(data.correct_rate, 2)}</Figure>
      <Figure name={t('figure.won')}>
        {formatAmount(data.profitCount)} / {formatAmount(data.total_count)}
      </Figure>
      <Figure name={t('figure.longs')}>{formatAmount(data.riseCount)}</Figure>
      <Figure name={t('figure.shorts')}>{formatAmount(data.fallCount)}</Figure>
      <Figure name={t('figure.open')}>{formatAmount(data.position_count)}</Figure>
      <Figure name={t('figure.followers')}>{formatAmount(data.follow_num)}</Figure>
      <Figure name={t('figure.skips')}>{formatAmount(data.skips)}</Figure>
    </Figures>
  );
}

/** How the reader follows, and what has come of it. */
function Terms({ follow }: { follow: NonNullable<FollowDetail['follow']> }) {
  const { t } = useTranslation('copy');
  const cum = gain(follow.cum);
  const number = formatAmount(follow.number);
  return (
    <section className={css.terms}>
      <p>{t(follow.type === 1 ? 'trader.multipleTerms' : 'trader.lotsTerms', { number })}</p>
      <Figures>
        <Figure name={t('trader.cum')} tone={cum.tone}>
          {cum.text}
        </Figure>
        <Figure name={t('trader.hwm')}>{formatAmount(follow.hwm)}</Figure>
        <Figure name={t('index.withheld')}>{formatAmount(follow.withheld)}</Figure>
      </Figures>
    </section>
  );
}

function Actions({ detail: { trader_info: who, is_followed } }: { detail: FollowDetail }) {
  const { t } = useTranslation('copy');
  const [stopping, setStopping] = useState(false);
  const barred = useBarred('follow');
  const notice = useId();
  if (!is_followed && who.is_trader === 0) return null;
  const toForm = () => navigateTo(PATHS.follow, { uid: who.id });
  return (
    <div className={css.actions}>
      <BarredNotice product="follow" id={notice} />
      <p className={css.past}>{t('trader.past')}</p>
      <div className={css.buttons}>
        {is_followed ? (
          <>
            <Button tone="danger" block onClick={() => setStopping(true)}>
              {t('follow.cancel')}
            </Button>
            <Button block onClick={toForm}>
              {t('index.edit')}
            </Button>
          </>
        ) : (
          <Button block size="l" disabled={barred} aria-describedby={barred ? notice : undefined} onClick={toForm}>
            {t('index.follow')}
          </Button>
        )}
      </div>
      <StopDialog trader={stopping ? who : undefined} onClose={() => setStopping(false)} />
    </div>
  );
}

function Trade({ trade }: { trade: FollowTrade }) {
  const { t } = useTranslation('copy');
  const profit = gain(trade.fact_profits);
  return (
    <div className={css.trade}>
      <div>
        <b>{positionText(trade, t)}</b>
        <span className="num">
          {trade.multiple}× · {t('trader.entry', { price: formatPrice(trade.price) })} ·{' '}
          {t('trader.exit', { price: formatPrice(trade.update_price) })}
        </span>
        <span className="num">{formatMoment(parseServerTime(trade.handle_time))}</span>
      </div>
      <b className="num" data-tone={profit.tone}>
        {profit.text}
      </b>
    </div>
  );
}

/** Copy trading: who may be copied, and what comes of one's own copies. */
import { Users } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Checkbox, Empty, InfiniteList, ListItem, NavBar, PullRefresh, Select, Skeleton } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { navigateTo } from '@/lib/navigation';
import { useBarred, useSession } from '@/lib/session';
import { useCopyEvents } from '@/trading';
import { useApplication } from './api/follow';
import { type FollowSort, useTraders } from './api/traders';
import css from './FollowIndexPage.module.css';
import { MyFigures } from './MyFigures';
import { asOf } from './show';
import { TraderCard } from './TraderCard';

const BarredFollow = lazy(() => import('./BarredFollow'));

const SORTS = {
  profit: 'figure.profit',
  accuracy: 'figure.accuracy',
  yield: 'figure.yield',
  followers: 'figure.followers',
  today: 'figure.today',
} as const satisfies Record<FollowSort, string>;
const ORDERS = Object.keys(SORTS) as FollowSort[];

export default function FollowIndexPage() {
  const { t } = useTranslation('copy');
  const { token, user } = useSession();
  const [sort, setSort] = useState<FollowSort>('profit');
  const [onlyOpen, setOnlyOpen] = useState(false);
  const barred = useBarred('follow');
  // No button is off before it is told why.
  const [noticeId, setNoticeId] = useState<string>();
  const list = useTraders(sort, onlyOpen);
  const first = list.rows?.[0];
  useCopyEvents();
  return (
    <>
      <NavBar title={t('title')} />
      <PullRefresh onRefresh={list.refetch}>
        {token ? <MyFigures /> : <p className={css.lead}>{t('index.lead')}</p>}
        {barred && (
          <Suspense>
            <BarredFollow onShown={setNoticeId} />
          </Suspense>
        )}
        <div className={css.tools}>
          <h2 className={css.heading}>{t('index.traders')}</h2>
          <Select<FollowSort>
            look="inline"
            hideLabel
            label={t('index.sort')}
            value={sort}
            onChange={setSort}
            options={ORDERS.map((value) => ({ value, label: t(SORTS[value]) }))}
          />
          <div className={css.only}>
            <Checkbox checked={onlyOpen} onChange={setOnlyOpen}>
              {t('index.onlyOpen')}
            </Checkbox>
          </div>
        </div>
        <div className={css.list}>
          <InfiniteList
            {...list}
            label={t('index.traders')}
            rowKey={(trader) => trader.id}
            renderRow={(trader) => (
              <TraderCard trader={trader} own={trader.id === user?.id} noticeId={barred ? noticeId : undefined} />
            )}
            skeleton={<Cards />}
            empty={
              onlyOpen ? (
                <Empty
                  title={t('index.noneOpen')}
                  action={{ label: t('index.all'), onClick: () => setOnlyOpen(false) }}
                />
              ) : (
                <Empty
                  title={t('index.none')}
                  note={t('index.noneNote')}
                  action={{ label: t('index.become'), onClick: () => navigateTo(PATHS.followApply) }}
                />
              )
            }
          />
        </div>
        {first && <p className={`num ${css.asOf}`}>{asOf(first, t)}</p>}
        <Become />
      </PullRefresh>
    </>
  );
}

/** In the shape of the cards that are coming. */
function Cards() {
  const { t } = useTranslation();
  return (
    <div role="status" aria-label={t('loading')} className={css.cards}>
      {['a', 'b', 'c'].map((id) => (
        <Skeleton key={id} height={206} className={css.blank} />
      ))}
    </div>
  );
}

/** The way to being copied, or to one's own page. */
function Become() {
  const { t } = useTranslation('copy');
  const { user } = useSession();
  const { data } = useApplication();
  const trader = data?.state === 2 && user;
  return (
    <ul className={css.become}>
      <ListItem
        icon={<Users size={20} aria-hidden="true" />}
        title={t(trader ? 'index.myPage' : 'index.become')}
        note={t(trader ? 'index.myPageNote' : data?.state === 1 ? 'index.reviewed' : 'index.becomeNote')}
        to={trader ? { path: PATHS.followTrader, query: { uid: user.id } } : { path: PATHS.followApply }}
      />
    </ul>
  );
}

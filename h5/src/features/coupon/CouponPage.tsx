/** The coupon centre (docs/rules/coupons.md): a code becomes a coupon, a coupon becomes money or an option's stake; what was used, what is over. */
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Empty, InfiniteList, NavBar, PullRefresh, Tabs } from '@/components/ui';
import { useAskCouponsAgain } from '@/lib/api/coupons';
import { usePrivateEvents } from '@/lib/market';
import { useBarred } from '@/lib/session';
import { BarredNotice } from '@/trading';
import { type CouponStatus, useCoupons } from './api/coupons';
import { CodeForm } from './CodeForm';
import { CouponCard } from './CouponCard';
import css from './CouponPage.module.css';

const TABS = ['unused', 'used', 'over'] as const;
type Tab = (typeof TABS)[number];
const STATUS: Record<Tab, CouponStatus> = { unused: 0, used: 1, over: 2 };

export default function CouponPage() {
  const { t } = useTranslation('coupon');
  const [tab, setTab] = useState<Tab>('unused');
  const askAgain = useAskCouponsAgain();
  usePrivateEvents(({ event }) => event === 'coupon' && askAgain());
  return (
    <>
      <NavBar title={t('title')} />
      <CodeForm onDone={() => setTab('unused')} />
      <Tabs
        label={t('title')}
        controls="coupons"
        className={css.tabs}
        items={TABS.map((value) => ({ value, label: t(`tab.${value}`) }))}
        value={tab}
        onChange={setTab}
      />
      <div id="coupons" role="tabpanel" aria-label={t(`tab.${tab}`)}>
        <Coupons key={tab} tab={tab} />
      </div>
    </>
  );
}

function Coupons({ tab }: { tab: Tab }) {
  const { t } = useTranslation('coupon');
  const { refetch, ...list } = useCoupons(STATUS[tab]);
  const barred = useBarred('options');
  const notice = useId();
  const isBarred = barred && tab === 'unused' && list.rows?.some(({ kind }) => kind === 'micro_bonus');
  return (
    <PullRefresh onRefresh={refetch}>
      <div className={css.coupons}>
        {isBarred && <BarredNotice product="options" id={notice} className={css.notice} />}
        <InfiniteList
          {...list}
          label={t(`tab.${tab}`)}
          rowKey={(row) => row.id}
          renderRow={(row) => <CouponCard coupon={row} noticeId={isBarred ? notice : undefined} />}
          empty={<Empty title={t(`none.${tab}`)} note={t(`noneNote.${tab}`)} />}
        />
      </div>
    </PullRefresh>
  );
}

/** Whom the account follows, its open copies, and those that were skipped. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { Empty, ErrorState, InfiniteList, NavBar, PullRefresh, SkeletonRows, Tabs } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { type FollowLink, useMine, useSelfHolding, useTraderNames } from '@/lib/api/copies';
import type { LeverTicket } from '@/lib/api/schema/shared';
import { formatMoment, parseServerTime } from '@/lib/format';
import { navigateTo, redirectTo } from '@/lib/navigation';
import { SelfHoldDialog, useCopyEvents } from '@/trading';
import { type FollowSkip, useSkips } from './api/skips';
import { CopyCard } from './CopyCard';
import css from './FollowMinePage.module.css';
import { LinkCard } from './LinkCard';
import { StopDialog } from './StopDialog';

const TABS = ['follows', 'copies', 'skips'] as const;
type Tab = (typeof TABS)[number];
type Mine = ReturnType<typeof useMine>;

export default function FollowMinePage() {
  const { t } = useTranslation('copy');
  const [params] = useSearchParams();
  const tab = TABS.find((name) => name === params.get('tab')) ?? 'follows';
  const mine = useMine();
  useCopyEvents();
  const count = (rows: readonly unknown[] | undefined) => (rows ? ` (${rows.length})` : '');
  return (
    <>
      <NavBar title={t('mine.title')} />
      <Tabs<Tab>
        label={t('mine.which')}
        controls="mine"
        className={css.tabs}
        value={tab}
        onChange={(next) => redirectTo(PATHS.followMine, { tab: next })}
        items={[
          { value: 'follows', label: `${t('mine.follows')}${count(mine.follows)}` },
          { value: 'copies', label: `${t('mine.copies')}${count(mine.copies)}` },
          { value: 'skips', label: t('mine.skips') },
        ]}
      />
      <div id="mine" role="tabpanel" aria-label={t(`mine.${tab}`)}>
        {tab === 'skips' ? (
          <Skips />
        ) : (
          <PullRefresh onRefresh={mine.refetch}>
            {mine.error && (
              <ErrorState compact={mine.data !== undefined} error={mine.error} onRetry={() => void mine.refetch()} />
            )}
            {!mine.data && !mine.error && <SkeletonRows rows={5} icon={false} />}
            {tab === 'follows' && mine.follows && <Links follows={mine.follows} />}
            {tab === 'copies' && mine.copies && <Copies copies={mine.copies} />}
          </PullRefresh>
        )}
      </div>
    </>
  );
}

const find = () => navigateTo(PATHS.followIndex);

function Links({ follows }: { follows: NonNullable<Mine['follows']> }) {
  const { t } = useTranslation('copy');
  const [stopping, setStopping] = useState<FollowLink>();
  return (
    <>
      {follows.length === 0 && (
        <Empty title={t('mine.none')} note={t('mine.noneNote')} action={{ label: t('mine.find'), onClick: find }} />
      )}
      <ul className={css.cards} aria-label={t('mine.follows')}>
        {follows.map((link) => (
          <li key={link.trader.id}>
            <LinkCard link={link} onStop={setStopping} />
          </li>
        ))}
      </ul>
      {follows.length > 0 && <p className={css.note}>{t('mine.shareNote')}</p>}
      <StopDialog trader={stopping?.trader} onClose={() => setStopping(undefined)} />
    </>
  );
}

function Copies({ copies }: { copies: readonly LeverTicket[] }) {
  const { t } = useTranslation('copy');
  const traderOf = useTraderNames(copies);
  const { busy, hold } = useSelfHolding();
  const [asked, setAsked] = useState<number>();
  // One that was closed meanwhile closes the question too.
  const held = copies.find(({ id }) => id === asked);
  return (
    <>
      {copies.length === 0 && (
        <Empty
          title={t('mine.noCopies')}
          note={t('mine.noCopiesNote')}
          action={{ label: t('mine.find'), onClick: find }}
        />
      )}
      <ul className={css.cards} aria-label={t('mine.copies')}>
        {copies.map((copy) => (
          <li key={copy.id}>
            <CopyCard copy={copy} trader={traderOf(copy)} onHold={({ id }) => setAsked(id)} />
          </li>
        ))}
      </ul>
      {copies.length > 0 && <p className={css.note}>{t('copy.note')}</p>}
      <SelfHoldDialog
        ticket={held}
        trader={held && traderOf(held)}
        busy={busy}
        onClose={() => setAsked(undefined)}
        onConfirm={async ({ id }) => {
          await hold(id);
          setAsked(undefined);
        }}
      />
    </>
  );
}

function Skips() {
  const { t } = useTranslation('copy');
  const list = useSkips();
  return (
    <PullRefresh onRefresh={list.refetch}>
      <InfiniteList
        {...list}
        label={t('mine.skips')}
        rowKey={(skip) => `${skip.trader.id} ${skip.follow_order_id}`}
        renderRow={(skip) => <Skip skip={skip} />}
        skeleton={<SkeletonRows rows={6} icon={false} />}
        empty={
          <Empty
            title={t('mine.noSkips')}
            note={t('mine.noSkipsNote')}
            action={{ label: t('mine.find'), onClick: find }}
          />
        }
      />
    </PullRefresh>
  );
}

function Skip({ skip }: { skip: FollowSkip }) {
  const { t } = useTranslation('copy');
  return (
    <div className={css.skip}>
      <p className={css.skipHead}>
        <b>
          {skip.trader.nickname} · {skip.symbol}
        </b>
        <span className="num">{formatMoment(parseServerTime(skip.time))}</span>
      </p>
      <p className={css.reason}>{skip.reason_name}</p>
      <p className="num">{t('mine.skipped', { order: skip.follow_order_id })}</p>
    </div>
  );
}

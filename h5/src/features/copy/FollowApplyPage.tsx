/** Becoming a trader: what it takes, in one's own words how one trades, and what became of the application. */
import clsx from 'clsx';
import { CircleCheck, CircleDashed } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, Empty, ErrorState, NavBar, PullRefresh, SkeletonRows, TextArea } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { compareText } from '@/lib/decimalText';
import { formatAmount } from '@/lib/format';
import { navigateTo } from '@/lib/navigation';
import { useSession } from '@/lib/session';
import { toast } from '@/lib/toast';
import { type FollowApplication, useApplication, useFollowing } from './api/follow';
import css from './FollowApplyPage.module.css';

export default function FollowApplyPage() {
  const { t } = useTranslation('copy');
  const { data, error, refetch } = useApplication();
  return (
    <>
      <NavBar title={t('apply.title')} />
      <PullRefresh onRefresh={refetch}>
        {error && <ErrorState compact={Boolean(data)} error={error} onRetry={() => void refetch()} />}
        {!data && !error && <SkeletonRows rows={6} icon={false} />}
        {data && <Application data={data} />}
      </PullRefresh>
    </>
  );
}

function Application({ data }: { data: FollowApplication }) {
  const { t } = useTranslation('copy');
  const { user } = useSession();
  if (data.state === 2) {
    const uid = user?.id;
    return (
      <Empty
        title={t('apply.approved')}
        note={t('apply.approvedNote')}
        action={{ label: t('index.myPage'), onClick: () => navigateTo(PATHS.followTrader, { uid }) }}
      />
    );
  }
  if (data.state === 1) {
    return (
      <>
        <Empty
          title={t('apply.applied')}
          note={t('apply.appliedNote')}
          action={{ label: t('trader.toList'), onClick: () => navigateTo(PATHS.followIndex) }}
        />
        <section className={css.intro}>
          <h2>{t('apply.yourIntro')}</h2>
          <p>{data.intro}</p>
        </section>
      </>
    );
  }
  return <Form data={data} />;
}

function Form({ data }: { data: FollowApplication }) {
  const { t } = useTranslation('copy');
  const { t: c } = useTranslation('contract');
  const { busy, apply } = useFollowing();
  const [intro, setIntro] = useState(data.intro);
  const [tried, setTried] = useState(false);
  const missing = intro.trim() === '';
  const hasBalance = compareText(data.lever_balance, data.lever_needed) >= 0;
  const hasClosed = data.closed_count >= data.closed_needed;
  async function submit() {
    setTried(true);
    if (!missing && (await apply(intro.trim()))) toast.success(t('apply.done'));
  }
  return (
    <form
      className={css.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      {data.state === 3 && (
        <div className={css.refused} role="status">
          <b>{t('apply.refused')}</b>
          {data.reason && <p>{data.reason}</p>}
        </div>
      )}
      <p className={css.lead}>{t('apply.lead')}</p>
      <section className={css.needs}>
        <h2>{t('apply.needs')}</h2>
        <ul>
          <Need
            met={hasBalance}
            name={t('apply.balance', { amount: formatAmount(data.lever_needed) })}
            note={t('apply.balanceNote', { amount: formatAmount(data.lever_balance, 2) })}
            way={{
              label: t('follow.transfer'),
              onClick: () => navigateTo(PATHS.transfer, { currency: USDT, to: 'lever' }),
            }}
          />
          <Need
            met={hasClosed}
            name={t('apply.closed', { number: data.closed_needed })}
            note={t('apply.closedNote', { number: data.closed_count })}
            way={{ label: c('toTrade'), onClick: () => navigateTo(PATHS.contract) }}
          />
        </ul>
      </section>
      <TextArea
        label={t('apply.intro')}
        rows={4}
        maxLength={MOST}
        value={intro}
        error={tried && missing ? t('apply.introMissing') : undefined}
        hint={t('apply.introHint', { left: MOST - intro.length })}
        onChange={(event) => setIntro(event.target.value)}
      />
      <p className={css.note}>{t('apply.duties')}</p>
      {/* `eligible` may be false for what the page does not list: then the server's refusal says why. */}
      <Button type="submit" block size="l" loading={busy} disabled={!hasBalance || !hasClosed}>
        {t(data.state === 3 ? 'apply.again' : 'apply.send')}
      </Button>
    </form>
  );
}

const USDT = 3;
const MOST = 500;

interface NeedProps {
  met: boolean;
  name: string;
  note: string;
  /** To what is missing. */
  way: { label: string; onClick(): void };
}

function Need({ met, name, note, way }: NeedProps) {
  const { t } = useTranslation('copy');
  const Sign = met ? CircleCheck : CircleDashed;
  return (
    <li className={clsx(css.need, met && css.met)}>
      <Sign size={20} aria-hidden="true" />
      <span>
        <b>{name}</b>
        <span className="num">{note}</span>
        {!met && (
          <Button tone="ghost" size="s" className={css.way} onClick={way.onClick}>
            {way.label}
          </Button>
        )}
      </span>
      <em>{t(met ? 'apply.met' : 'apply.unmet')}</em>
    </li>
  );
}

import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Badge, type BadgeTone } from '@/components/ui';
import type { WithdrawalQuote } from '@/lib/api/schema/withdrawCalls';
import { formatMoment } from '@/lib/format';
import { useServerNow } from '@/lib/market';
import { longClockText } from '@/lib/times';
import css from '../Deposit.module.css';

type WithdrawState = WithdrawalQuote['state'];

const TONES: Record<WithdrawState, BadgeTone> = { open: 'up', closed: 'down', halted: 'down', behind: 'warn' };

export function WithdrawBadge({ state }: { state: WithdrawState }) {
  const { t } = useTranslation('withdraw');
  return <Badge tone={TONES[state]}>{t(`state.${state}`)}</Badge>;
}

/** Why nothing, or nothing soon, leaves by a network. */
export function StateBanner({ state }: { state: WithdrawState }) {
  const { t } = useTranslation('withdraw');
  if (state === 'open') return null;
  return <Notice stops={state !== 'behind'}>{t(`stateNote.${state}`)}</Notice>;
}

export function Notice({ stops, children }: { stops: boolean; children: ReactNode }) {
  return (
    <div role="status" className={css.banner} data-state={stops ? 'halted' : 'behind'}>
      <TriangleAlert size={18} aria-hidden="true" />
      <p>{children}</p>
    </div>
  );
}

const TICK_MS = 1_000;

/** How long the account withdraws nothing, by the server's clock. */
export function PauseBanner({ untilMs }: { untilMs: number }) {
  const { t } = useTranslation('withdraw');
  const left = untilMs - useServerNow(TICK_MS);
  if (left <= 0) return null;
  return (
    <Notice stops>
      {t('paused')} <Left ms={left} /> {t('pausedNote', { time: formatMoment(untilMs) })}
    </Notice>
  );
}

const Left = ({ ms }: { ms: number }) => (
  <b role="timer" className="num">
    {longClockText(ms)}
  </b>
);

/** How long an address of the book waits before anything is paid to it; nothing once it does not. */
export function Waits({ untilMs }: { untilMs: number }) {
  const { t } = useTranslation('withdraw');
  return <Countdown name={t('waits')} untilMs={untilMs} />;
}

/** When new addresses wait no more. */
export function Ends({ atMs }: { atMs: number }) {
  const { t } = useTranslation('withdraw');
  return <Countdown name={t('book.ends')} untilMs={atMs} />;
}

function Countdown({ name, untilMs }: { name: string; untilMs: number }) {
  const left = untilMs - useServerNow(TICK_MS);
  if (left <= 0) return null;
  return (
    <Badge tone="warn">
      <span>
        {name} <Left ms={left} />
      </span>
    </Badge>
  );
}

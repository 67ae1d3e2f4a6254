import clsx from 'clsx';
import { CloudOff, WifiOff } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { describeFailure } from '@/lib/api/client';
import { useOnline } from '@/lib/online';
import { Button } from './Button';
import css from './States.module.css';

interface SkeletonProps {
  width?: number | string;
  height?: number | string;
  round?: boolean;
  className?: string | undefined;
}

export function Skeleton({ width = '100%', height = 14, round, className }: SkeletonProps) {
  return <span className={clsx(css.skeleton, round && css.round, className)} style={{ width, height }} />;
}

/** In place of what cannot come: nothing of it was loaded before the network went. */
export function OfflineState() {
  const { t } = useTranslation();
  return (
    <div className={css.state} role="status">
      <WifiOff size={32} className={css.cloud} aria-hidden="true" />
      <p className={css.title}>{t('error.offline')}</p>
    </div>
  );
}

/** Rows in the shape of what is coming: icon, two lines, a number. */
export function SkeletonRows({ rows = 6, icon = true }: { rows?: number; icon?: boolean }) {
  const { t } = useTranslation();
  const online = useOnline();
  if (!online) return <OfflineState />;
  return (
    <div role="status" aria-label={t('loading')} className={css.rows}>
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no identity.
        <div key={index} className={css.row}>
          {icon && <Skeleton width={34} height={34} round />}
          <span className={css.lines}>
            <Skeleton width="42%" />
            <Skeleton width="26%" height={11} />
          </span>
          <Skeleton width={72} height={18} />
        </div>
      ))}
    </div>
  );
}

/** Shows its children only after a while, so that a quick answer does not flicker. */
export function Delayed({ ms, children }: { ms: number; children: ReactNode }) {
  const [due, setDue] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setDue(true), ms);
    return () => clearTimeout(timer);
  }, [ms]);
  return due ? children : null;
}

function EmptyPicture() {
  return (
    <svg width="104" height="80" viewBox="0 0 104 80" fill="none" aria-hidden="true" className={css.picture}>
      <ellipse cx="52" cy="70" rx="40" ry="6" fill="#16181c" />
      <rect x="25" y="16" width="50" height="50" rx="9" fill="#1c1f24" stroke="#2e333b" />
      <path d="M35 52l9-11 8 6 13-16" stroke="#3a414b" strokeWidth="3" strokeLinecap="round" strokeLinejoin="round" />
      <path d="M35 27h16" stroke="#2e333b" strokeWidth="3" strokeLinecap="round" />
      <circle cx="76" cy="22" r="11" fill="#15171a" stroke="#2a64fb" strokeWidth="2" />
      <path d="M76 17v5l3.5 2" stroke="#7ea0ff" strokeWidth="2" strokeLinecap="round" strokeLinejoin="round" />
    </svg>
  );
}

interface EmptyProps {
  title?: string;
  note?: ReactNode;
  /** The way on. */
  action?: { label: string; onClick(): void };
}

export function Empty({ title, note, action }: EmptyProps) {
  const { t } = useTranslation();
  return (
    <div className={css.state}>
      <EmptyPicture />
      <p className={css.title}>{title ?? t('noMore')}</p>
      {note && <p className={css.note}>{note}</p>}
      {action && (
        <Button tone="secondary" size="s" className={css.action} onClick={action.onClick}>
          {action.label}
        </Button>
      )}
    </div>
  );
}

interface ErrorProps {
  error: unknown;
  onRetry(): void;
  /** A bar above rows that are still there, instead of a page of its own. */
  compact?: boolean;
}

export function ErrorState({ error, onRetry, compact }: ErrorProps) {
  const { t } = useTranslation();
  const online = useOnline();
  // The bar at the top of the app says it once for all.
  if (compact && !online) return null;
  return (
    <div className={compact ? css.bar : css.state} role="alert">
      <CloudOff size={compact ? 16 : 40} className={css.cloud} aria-hidden="true" />
      <p className={compact ? css.barText : css.title}>{describeFailure(error)}</p>
      <Button tone={compact ? 'ghost' : 'secondary'} size="s" className={css.action} onClick={onRetry}>
        {t('retry')}
      </Button>
    </div>
  );
}

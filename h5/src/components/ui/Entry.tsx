import clsx from 'clsx';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { isBuilt } from '@/config/paths';
import { navigateTo, type Query } from '@/lib/navigation';
import { useThrottled } from '@/lib/throttle';
import css from './Entry.module.css';

/** Where an entry leads; null: the product has no page at all yet. */
export type Lead = { path: string; query?: Query } | null;

export const leads = (to: Lead): to is NonNullable<Lead> => to !== null && isBuilt(to.path);

interface Props {
  to: Lead;
  className?: string | undefined;
  children: ReactNode;
  /** Before the page is left, to close what the entry is in. */
  onGo?: () => void;
}

/**
 * A button that leads to a page. While that page is not built the entry says so beforehand: it can be reached and read,
 * and pressing it does nothing.
 */
export function Entry({ to, className, children, onGo }: Props) {
  const { t } = useTranslation();
  const open = leads(to);
  const press = useThrottled(() => {
    if (!leads(to)) return;
    onGo?.();
    navigateTo(to.path, to.query);
  });
  return (
    <button
      type="button"
      className={clsx(className, !open && css.later)}
      aria-disabled={!open || undefined}
      onClick={() => press()}
    >
      {children}
      {!open && <span className={css.soon}>{t('soon')}</span>}
    </button>
  );
}

import clsx from 'clsx';
import type { Look } from './look';
import css from './Mail.module.css';

/** Decoration beside words that say the same. */
export function EventIcon({ icon: Icon, tone }: Look) {
  return (
    <span className={clsx(css.icon, css[tone])} aria-hidden="true">
      <Icon size={20} strokeWidth={1.9} />
    </span>
  );
}

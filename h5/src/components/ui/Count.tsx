import clsx from 'clsx';
import { countText } from '@/lib/format';
import css from './Count.module.css';

/** How many are new, on the colour that asks to look; nothing at 0. */
export function Count({ value, className }: { value: number; className?: string | undefined }) {
  if (value <= 0) return null;
  return <span className={clsx('num', css.count, className)}>{countText(value)}</span>;
}

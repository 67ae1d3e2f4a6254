import clsx from 'clsx';
import type { ReactNode } from 'react';
import type { Direction } from '@/lib/format';
import css from './Figures.module.css';

/** Figures in columns, each below its name. */
export function Figures({ children }: { children: ReactNode }) {
  return <dl className={css.figures}>{children}</dl>;
}

interface Props {
  name: string;
  /** Gives the colour; the sign is in the figure itself. */
  tone?: Direction;
  children: ReactNode;
}

export function Figure({ name, tone, children }: Props) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className={clsx('num', tone && css[tone])}>{children}</dd>
    </div>
  );
}

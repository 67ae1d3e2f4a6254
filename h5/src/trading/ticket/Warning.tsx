import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import css from './Warning.module.css';

/** What somebody should know before an order goes out. */
export function Warning({ children }: { children: ReactNode }) {
  return (
    <p className={css.warning} role="status">
      <TriangleAlert size={15} aria-hidden="true" />
      {children}
    </p>
  );
}

import { type ComponentProps, lazy, Suspense } from 'react';
import { Skeleton } from '@/components/ui';
import css from './Chart.module.css';

const ChartPanel = lazy(() => import('./ChartPanel'));

/** The chart, loaded when it is first shown: its library is larger than the page. */
export function Chart(props: ComponentProps<typeof ChartPanel>) {
  return (
    <Suspense fallback={<Skeleton className={css.waiting} height={340} />}>
      <ChartPanel {...props} />
    </Suspense>
  );
}

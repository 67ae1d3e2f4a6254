import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorState, Skeleton } from '@/components/ui';
import { useCopyTerms } from './api/terms';
import { useLastTrade } from './api/traders';
import css from './Example.module.css';
import type { Mode } from './numbers';

const ExampleFigures = lazy(() => import('./ExampleFigures'));

interface Props {
  trader: number;
  mode: Mode;
  /** undefined while it is none. */
  number: string | undefined;
  /** Percent of a net profit. */
  ratio: string;
}

const HEIGHT = 190;

/** What the trader's last trade would cost the reader at the index of now. */
export function Example({ trader, mode, number, ratio }: Props) {
  const { t } = useTranslation('copy');
  const last = useLastTrade(trader);
  const { terms, available, error, retry } = useCopyTerms(last.data?.symbol, last.data !== undefined);
  const failed = last.error ?? error;
  return (
    <section className={css.example} aria-label={t('follow.example')}>
      <h2>{t('follow.example')}</h2>
      {Boolean(failed) && (
        <ErrorState compact error={failed} onRetry={() => (last.error ? void last.refetch() : retry())} />
      )}
      {!failed && (!terms || last.data === undefined) && <Skeleton height={HEIGHT} />}
      {terms && last.data !== undefined && (
        <Suspense fallback={<Skeleton height={HEIGHT} />}>
          <ExampleFigures
            trade={last.data}
            terms={terms}
            available={available}
            mode={mode}
            number={number}
            ratio={ratio}
          />
        </Suspense>
      )}
    </section>
  );
}

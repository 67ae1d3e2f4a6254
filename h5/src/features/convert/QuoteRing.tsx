import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { QUOTE_MS } from './api/convert';
import css from './QuoteRing.module.css';

const TICK_MS = 250;
const RADIUS = 11;
const LENGTH = 2 * Math.PI * RADIUS;

const leftOf = (untilMs: number): number => Math.min(QUOTE_MS, Math.max(0, untilMs - Date.now()));

/** How long a quote still holds. It counts by itself, so that nothing else is drawn anew. */
export function QuoteRing({ untilMs }: { untilMs: number }) {
  const { t } = useTranslation('convert');
  const [, setTicks] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTicks((ticks) => ticks + 1), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  const leftMs = leftOf(untilMs);
  const seconds = Math.ceil(leftMs / 1000);
  return (
    <span role="timer" aria-label={t('valid', { seconds })} className={css.ring}>
      <svg viewBox="0 0 28 28" aria-hidden="true">
        <circle cx="14" cy="14" r={RADIUS} className={css.track} />
        <circle
          cx="14"
          cy="14"
          r={RADIUS}
          className={css.left}
          strokeDasharray={LENGTH}
          strokeDashoffset={LENGTH * (1 - leftMs / QUOTE_MS)}
        />
      </svg>
      <span className="num" aria-hidden="true">
        {seconds}
      </span>
    </span>
  );
}

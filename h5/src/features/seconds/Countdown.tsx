import { useTranslation } from 'react-i18next';
import { useServerNow } from '@/lib/market';
import { clockText } from '@/lib/times';
import type { Option } from './api/options';
import css from './Countdown.module.css';
import { leftMs } from './state';

const TICK_MS = 200;
const RADIUS = 54;
const LENGTH = 2 * Math.PI * RADIUS;

/** How long an option still runs, by the server's clock. It counts by itself, so that nothing else is drawn anew. */
export function Countdown({ option }: { option: Option }) {
  const { t } = useTranslation('seconds');
  const left = leftMs(option, useServerNow(TICK_MS));
  const share = Math.min(1, left / (option.seconds * 1_000));
  return (
    <div
      role="timer"
      aria-label={t('option.left', { seconds: Math.ceil(left / 1_000) })}
      className={css.countdown}
      data-side={option.type}
    >
      <svg viewBox="0 0 120 120" aria-hidden="true">
        <circle cx="60" cy="60" r={RADIUS} className={css.track} />
        <circle
          cx="60"
          cy="60"
          r={RADIUS}
          className={css.left}
          strokeDasharray={LENGTH}
          strokeDashoffset={LENGTH * (1 - share)}
        />
      </svg>
      <span className="num" aria-hidden="true">
        {left > 0 ? clockText(left) : <small>{t('option.settling')}</small>}
      </span>
    </div>
  );
}

/** The same as a text of a list. */
export function TimeLeft({ option }: { option: Option }) {
  const { t } = useTranslation('seconds');
  const left = leftMs(option, useServerNow(TICK_MS));
  return (
    <span role="timer" aria-label={t('option.left', { seconds: Math.ceil(left / 1_000) })} className="num">
      {left > 0 ? clockText(left) : t('option.settling')}
    </span>
  );
}

import { useTranslation } from 'react-i18next';
import { busyAtom } from '@/lib/busy';
import { useAtomValue } from '@/lib/state';
import css from './Spinner.module.css';

export function Spinner({ size = 22 }: { size?: number }) {
  return (
    <svg className={css.spinner} width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
      <circle cx="12" cy="12" r="9" fill="none" stroke="currentColor" strokeOpacity="0.2" strokeWidth="2.5" />
      <path d="M21 12a9 9 0 0 0-9-9" fill="none" stroke="currentColor" strokeWidth="2.5" strokeLinecap="round" />
    </svg>
  );
}

/** Appears when a call that somebody waits for takes longer than 800 ms. */
export function BusyIndicator() {
  const { t } = useTranslation();
  const busy = useAtomValue(busyAtom);
  return (
    <div className={css.busy} role="status" data-shown={busy}>
      {busy && (
        <div className={css.box}>
          <Spinner size={28} />
          <span className="sr-only">{t('loading')}</span>
        </div>
      )}
    </div>
  );
}

import { WifiOff } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import css from './OfflineBar.module.css';

function subscribe(listener: () => void): () => void {
  window.addEventListener('online', listener);
  window.addEventListener('offline', listener);
  return () => {
    window.removeEventListener('online', listener);
    window.removeEventListener('offline', listener);
  };
}

export const useOnline = (): boolean => useSyncExternalStore(subscribe, () => navigator.onLine);

export function OfflineBar() {
  const { t } = useTranslation();
  const online = useOnline();
  return (
    <div role="status" className={css.region}>
      {!online && (
        <p className={css.bar}>
          <WifiOff size={16} aria-hidden="true" />
          {t('offline')}
        </p>
      )}
    </div>
  );
}

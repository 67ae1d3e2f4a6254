import { WifiOff } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useOnline } from '@/lib/online';
import css from './OfflineBar.module.css';

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

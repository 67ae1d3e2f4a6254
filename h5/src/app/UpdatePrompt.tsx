import { RefreshCw } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Button } from '@/components/ui';
import { useCell } from '@/lib/cell';
import { pendingUpdate } from '@/lib/update';
import css from './UpdatePrompt.module.css';

/** Asks before a new version takes over: nobody's half-filled order is thrown away. */
export function UpdatePrompt() {
  const { t } = useTranslation();
  const apply = useCell(pendingUpdate);
  return (
    <div role="status">
      {apply && (
        <div className={css.prompt}>
          <RefreshCw size={18} aria-hidden="true" />
          <p className={css.text}>{t('updateReady')}</p>
          <Button tone="ghost" size="s" onClick={() => pendingUpdate.set(null)}>
            {t('later')}
          </Button>
          <Button size="s" onClick={apply}>
            {t('updateNow')}
          </Button>
        </div>
      )}
    </div>
  );
}

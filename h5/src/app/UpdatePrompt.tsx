import { RefreshCw } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Button } from '@/components/ui';
import { useAtom } from '@/lib/state';
import { pendingUpdateAtom } from '@/lib/update';
import css from './UpdatePrompt.module.css';

/** Asks before a new version takes over: nobody's half-filled order is thrown away. */
export function UpdatePrompt() {
  const { t } = useTranslation();
  const [update, setUpdate] = useAtom(pendingUpdateAtom);
  return (
    <div role="status">
      {update && (
        <div className={css.prompt}>
          <RefreshCw size={18} aria-hidden="true" />
          <p className={css.text}>{t('updateReady')}</p>
          <Button tone="ghost" size="s" onClick={() => setUpdate(null)}>
            {t('later')}
          </Button>
          <Button size="s" onClick={update.apply}>
            {t('updateNow')}
          </Button>
        </div>
      )}
    </div>
  );
}

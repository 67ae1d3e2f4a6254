import { Download, X } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Button, IconButton } from '@/components/ui';
import { useInstall } from '@/lib/install';
import { hideDownloadAtom, useAtom } from '@/lib/state';
import css from './InstallStrip.module.css';

/** Offers to put the app on the home screen where the browser can; closed once, it stays closed. */
export function InstallStrip() {
  const { t } = useTranslation('home');
  const { t: c } = useTranslation();
  const install = useInstall();
  const [hidden, setHidden] = useAtom(hideDownloadAtom);

  if (!install || hidden) return null;
  return (
    <aside className={css.strip}>
      <Download size={20} aria-hidden="true" />
      <p className={css.text}>{t('install.text')}</p>
      <Button size="s" onClick={install}>
        {t('install.action')}
      </Button>
      <IconButton label={c('close')} onClick={() => setHidden(true)}>
        <X size={16} />
      </IconButton>
    </aside>
  );
}

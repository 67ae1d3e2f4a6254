import { Download, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, IconButton } from '@/components/ui';
import { hideDownloadAtom, useAtom } from '@/lib/state';
import css from './InstallStrip.module.css';

interface InstallEvent extends Event {
  prompt(): Promise<void>;
}

/** Offers to put the app on the home screen where the browser can; closed once, it stays closed. */
export function InstallStrip() {
  const { t } = useTranslation('home');
  const { t: c } = useTranslation();
  const [offer, setOffer] = useState<InstallEvent | null>(null);
  const [hidden, setHidden] = useAtom(hideDownloadAtom);

  useEffect(() => {
    const keep = (event: Event) => {
      event.preventDefault();
      setOffer(event as InstallEvent);
    };
    window.addEventListener('beforeinstallprompt', keep);
    return () => window.removeEventListener('beforeinstallprompt', keep);
  }, []);

  if (!offer || hidden) return null;
  return (
    <aside className={css.strip}>
      <Download size={20} aria-hidden="true" />
      <p className={css.text}>{t('install.text')}</p>
      <Button
        size="s"
        onClick={() => {
          void offer.prompt();
          setOffer(null);
        }}
      >
        {t('install.action')}
      </Button>
      <IconButton
        label={c('close')}
        onClick={() => {
          setHidden(true);
          setOffer(null);
        }}
      >
        <X size={16} />
      </IconButton>
    </aside>
  );
}

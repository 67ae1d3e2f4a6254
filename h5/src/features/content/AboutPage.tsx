import { BookOpenText, Download, FileCheck, FileText, MessageCircleQuestion, RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { List, ListItem, NavBar, Spinner } from '@/components/ui';
import { APP_NAME } from '@/config/name';
import { PATHS } from '@/config/paths';
import { navigateTo } from '@/lib/navigation';
import { toast } from '@/lib/toast';
import css from './AboutPage.module.css';
import { AppMark } from './AppMark';
import { newestVersion } from './api/newestVersion';

declare const __APP_VERSION__: string;
export const APP_VERSION = __APP_VERSION__;
export const APP_CODE = 80;

/** `wgt,80` names the kind of the newest update and its code. */
export function newestCode(value: string): number {
  const code = Number(value.split(',')[1]);
  return Number.isFinite(code) ? code : 0;
}

export default function AboutPage() {
  const { t } = useTranslation('setting');
  const { t: c } = useTranslation();
  const { t: d } = useTranslation('download');
  const [checking, setChecking] = useState(false);

  async function checkUpdate() {
    setChecking(true);
    const version = await newestVersion();
    setChecking(false);
    if (version === undefined) return;
    if (newestCode(version) > APP_CODE) {
      toast(c('updateReady'));
      // The newest app is what the server delivers: loading it again is the whole update.
      window.location.reload();
    } else {
      toast.success(t('about.upToDate'));
    }
  }

  return (
    <>
      <NavBar title={t('about.title')} />
      <div className={css.hero}>
        <AppMark size={72} />
        <p className={css.name}>{APP_NAME}</p>
        <p className={`num ${css.version}`}>{t('about.version', { version: APP_VERSION, code: APP_CODE })}</p>
      </div>
      <List>
        <ListItem
          icon={<RefreshCw size={19} />}
          title={t('about.check')}
          value={checking ? <Spinner size={16} /> : undefined}
          onClick={() => void checkUpdate()}
        />
        <ListItem icon={<Download size={19} />} title={d('title')} onClick={() => navigateTo(PATHS.download)} />
        <ListItem icon={<FileCheck size={19} />} title={c('reserves')} onClick={() => navigateTo(PATHS.reserves)} />
        <ListItem
          icon={<BookOpenText size={19} />}
          title={t('article.aboutus')}
          onClick={() => navigateTo(PATHS.aboutus)}
        />
        <ListItem
          icon={<MessageCircleQuestion size={19} />}
          title={t('article.faq')}
          onClick={() => navigateTo(PATHS.article, { type: 'faq' })}
        />
        <ListItem
          icon={<FileText size={19} />}
          title={t('article.compliance')}
          onClick={() => navigateTo(PATHS.compliance)}
        />
      </List>
    </>
  );
}

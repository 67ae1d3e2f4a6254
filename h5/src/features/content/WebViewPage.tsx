import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { Empty, NavBar, SkeletonRows } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { useSiteConfig } from '@/lib/api/config';
import { relaunch } from '@/lib/navigation';
import css from './WebViewPage.module.css';
import { allowedUrl, hostsOf } from './webViewUrl';

export default function WebViewPage() {
  const { t } = useTranslation('setting');
  const [params] = useSearchParams();
  const config = useSiteConfig();
  const title = params.get('title') || t('webView.title');
  const url = params.get('url') ?? '';
  const allowed = allowedUrl(url, config ? hostsOf([config.support_url, config.zxkf_url]) : []);
  return (
    <>
      <NavBar title={title} />
      {allowed ? (
        <iframe
          title={title}
          src={allowed}
          className={css.frame}
          sandbox="allow-scripts allow-forms allow-popups"
          referrerPolicy="no-referrer"
        />
      ) : config || !url ? (
        <Empty
          title={t('webView.refused')}
          note={t('webView.refusedNote')}
          action={{ label: t('article.home'), onClick: () => relaunch(PATHS.home) }}
        />
      ) : (
        <SkeletonRows rows={4} icon={false} />
      )}
    </>
  );
}

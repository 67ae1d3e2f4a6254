import { useQueryClient } from '@tanstack/react-query';
import { Headset, Search } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Avatar, IconButton, OnDemand, PullRefresh, useDocumentTitle } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { navigateTo, switchTab } from '@/lib/navigation';
import { useSession } from '@/lib/session';
import { Banners, NewsTicker } from './Announcements';
import { AssetsCard } from './AssetsCard';
import { Bell } from './Bell';
import { CopyPromo } from './CopyPromo';
import css from './HomePage.module.css';
import { HotMarkets, MarketLists } from './HotMarkets';
import { InstallStrip } from './InstallStrip';
import { MenuGrid } from './MenuGrid';
import { NoticePopup } from './NoticePopup';

const loadPanel = async () => (await import('./SidePanel')).SidePanel;

export default function HomePage() {
  const { t } = useTranslation('home');
  const { token, user } = useSession();
  const [panel, setPanel] = useState(false);
  const client = useQueryClient();
  useDocumentTitle(t('title'));

  return (
    <PullRefresh onRefresh={() => client.invalidateQueries()}>
      <header className={css.top}>
        <IconButton label={t('openPanel')} aria-haspopup="dialog" onClick={() => setPanel(true)}>
          <Avatar src={user?.head_portrait} name={user?.nickname || user?.account_number} size={32} />
        </IconButton>
        <button type="button" className={css.search} onClick={() => switchTab(PATHS.market, { focus: 'search' })}>
          <Search size={16} aria-hidden="true" />
          <span className={css.searchText}>{t('search')}</span>
        </button>
        <Bell member={token !== ''} />
        <IconButton label={t('service')} onClick={() => navigateTo(PATHS.contactus)}>
          <Headset size={21} strokeWidth={1.8} />
        </IconButton>
      </header>
      <h1 className="sr-only">{t('title')}</h1>
      <div className={css.columns}>
        <AssetsCard member={token !== ''} />
        <div className={css.side}>
          <NewsTicker />
          <MenuGrid />
          <Banners />
        </div>
        <HotMarkets />
        <MarketLists />
      </div>
      <CopyPromo />
      <InstallStrip />
      <OnDemand load={loadPanel} open={panel} onClose={() => setPanel(false)} />
      <NoticePopup />
    </PullRefresh>
  );
}

import clsx from 'clsx';
import {
  ArrowLeftRight,
  Building2,
  CandlestickChart,
  ChartNoAxesColumn,
  House,
  type LucideIcon,
  PiggyBank,
  Repeat2,
  Settings,
  Timer,
  TrendingUp,
  WalletMinimal,
} from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { APP_NAME } from '@/config/name';
import { PATHS, TABS, type TabName } from '@/config/paths';
import { goToLogin, navigateTo, switchTab } from '@/lib/navigation';
import { useToken } from '@/lib/session';
import { Button, IconButton } from './Button';
import { Entry } from './Entry';
import css from './TabBar.module.css';

const ICONS: Record<TabName, LucideIcon> = {
  home: House,
  market: ChartNoAxesColumn,
  trade: ArrowLeftRight,
  financial: PiggyBank,
  assets: WalletMinimal,
};

const TRADE_MENU = [
  { to: { path: PATHS.currency }, key: 'tradeMenu.spot', icon: CandlestickChart },
  { to: { path: PATHS.contract }, key: 'tradeMenu.contract', icon: TrendingUp },
  // They are traded on spot's page: their list is where one is chosen.
  { to: { path: PATHS.market, query: { kind: 'stock' } }, key: 'tradeMenu.stock', icon: Building2 },
  { to: { path: PATHS.options }, key: 'tradeMenu.options', icon: Timer },
  { to: { path: PATHS.flashExchange }, key: 'tradeMenu.flash', icon: Repeat2 },
] as const;

interface Props {
  /** Whose page is shown; null for a page of its own. */
  current: TabName | null;
  /** On top, as words, with the brand and the way to the own account. */
  desk: boolean;
}

/** Five tabs; the raised middle one trades, and pressed while trading it offers the kinds of trading. */
export function TabBar({ current, desk }: Props) {
  const { t } = useTranslation();
  const [menu, setMenu] = useState(false);
  const bar = useRef<HTMLElement>(null);

  useEffect(() => {
    if (!menu) return;
    const close = (event: Event) => {
      if (event instanceof KeyboardEvent ? event.key === 'Escape' : !bar.current?.contains(event.target as Node)) {
        setMenu(false);
      }
    };
    document.addEventListener('pointerdown', close);
    document.addEventListener('keydown', close);
    return () => {
      document.removeEventListener('pointerdown', close);
      document.removeEventListener('keydown', close);
    };
  }, [menu]);

  function press(tab: TabName) {
    if (tab === 'trade' && current === 'trade') {
      setMenu(!menu);
      return;
    }
    setMenu(false);
    if (tab !== current) switchTab(PATHS[tab]);
  }

  return (
    <nav ref={bar} className={css.bar} aria-label={t('tab.label')}>
      {desk && <Brand />}
      {TABS.map((tab) => {
        const Icon = ICONS[tab];
        const centre = tab === 'trade';
        const button = (
          <button
            key={tab}
            type="button"
            className={clsx(css.tab, centre && css.centre)}
            aria-current={tab === current ? 'page' : undefined}
            aria-expanded={centre && current === 'trade' ? menu : undefined}
            aria-controls={centre && menu ? 'trade-menu' : undefined}
            onClick={() => press(tab)}
          >
            <span className={css.icon}>
              <Icon size={centre ? 24 : 22} strokeWidth={tab === current || centre ? 2.3 : 1.8} aria-hidden="true" />
            </span>
            <span className={css.label}>{t(`tab.${tab}`)}</span>
          </button>
        );
        if (!centre) return button;
        return (
          <span key={tab} className={css.place}>
            {button}
            {menu && <TradeMenu onGo={() => setMenu(false)} />}
          </span>
        );
      })}
      {desk && <Own />}
    </nav>
  );
}

function TradeMenu({ onGo }: { onGo(): void }) {
  const { t } = useTranslation();
  return (
    <ul className={css.menu} id="trade-menu">
      {TRADE_MENU.map(({ to, key, icon: Icon }) => (
        <li key={key}>
          <Entry to={to} className={css.entry} onGo={onGo}>
            <Icon size={20} aria-hidden="true" />
            <span className={css.entryName}>{t(key)}</span>
          </Entry>
        </li>
      ))}
    </ul>
  );
}

function Brand() {
  return (
    <span className={css.brand}>
      <img src={`${import.meta.env.BASE_URL}logo.svg`} alt="" width={26} height={26} />
      {APP_NAME}
    </span>
  );
}

/** A guest's way in, a member's way to the settings. */
function Own() {
  const { t } = useTranslation(['common', 'home']);
  const token = useToken();
  return (
    <span className={css.own}>
      {token ? (
        <IconButton label={t('home:panel.settings')} onClick={() => navigateTo(PATHS.setting)}>
          <Settings size={20} strokeWidth={1.8} />
        </IconButton>
      ) : (
        <Button size="s" onClick={goToLogin}>
          {t('common:logIn')}
        </Button>
      )}
    </span>
  );
}

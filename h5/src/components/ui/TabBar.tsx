import clsx from 'clsx';
import {
  ArrowLeftRight,
  CandlestickChart,
  ChartNoAxesColumn,
  House,
  type LucideIcon,
  PiggyBank,
  Repeat2,
  Timer,
  TrendingUp,
  WalletMinimal,
} from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PATHS, TABS, type TabName } from '@/config/paths';
import { switchTab } from '@/lib/navigation';
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
  { path: PATHS.currency, key: 'tradeMenu.spot', icon: CandlestickChart },
  { path: PATHS.contract, key: 'tradeMenu.contract', icon: TrendingUp },
  { path: PATHS.options, key: 'tradeMenu.options', icon: Timer },
  { path: PATHS.flashExchange, key: 'tradeMenu.flash', icon: Repeat2 },
] as const;

/** Five tabs; the raised middle one trades, and pressed while trading it offers the kinds of trading. */
export function TabBar({ current }: { current: TabName }) {
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
      {menu && (
        <ul className={css.menu} id="trade-menu">
          {TRADE_MENU.map(({ path, key, icon: Icon }) => (
            <li key={path}>
              <Entry to={{ path }} className={css.entry} onGo={() => setMenu(false)}>
                <Icon size={20} aria-hidden="true" />
                <span className={css.entryName}>{t(key)}</span>
              </Entry>
            </li>
          ))}
        </ul>
      )}
      {TABS.map((tab) => {
        const Icon = ICONS[tab];
        const centre = tab === 'trade';
        return (
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
      })}
    </nav>
  );
}

import {
  ArrowLeftRight,
  Bot,
  Building2,
  CandlestickChart,
  ClipboardList,
  CreditCard,
  Dices,
  Image,
  Landmark,
  LayoutGrid,
  type LucideIcon,
  MessageCircleQuestion,
  PiggyBank,
  ReceiptText,
  Repeat2,
  Rocket,
  Settings,
  ShieldCheck,
  Timer,
  TrendingUp,
  Users,
} from 'lucide-react';
import { useState } from 'react';
import css from './MenuIcon.module.css';

const ICONS: Record<string, LucideIcon> = {
  transfer: ArrowLeftRight,
  spot: CandlestickChart,
  orders: ClipboardList,
  records: ReceiptText,
  security: ShieldCheck,
  settings: Settings,
  api: Bot,
  faq: MessageCircleQuestion,
  stock: Building2,
  contract: TrendingUp,
  options: Timer,
  flash_exchange: Repeat2,
  lock_mining: PiggyBank,
  ieo: Rocket,
  invest: Landmark,
  follow: Users,
  nft: Image,
  guess: Dices,
  buy_crypto: CreditCard,
};

/** A product's sign: our own for the names that we know, else the server's picture. */
export function MenuIcon({ name, src }: { name: string; src?: string }) {
  const [broken, setBroken] = useState(false);
  const Icon = ICONS[name] ?? LayoutGrid;
  return (
    <span className={css.tile}>
      {!ICONS[name] && src && !broken ? (
        <img src={src} alt="" width={24} height={24} onError={() => setBroken(true)} />
      ) : (
        <Icon size={21} strokeWidth={1.7} aria-hidden="true" />
      )}
    </span>
  );
}

/** What stands for a message at a glance: an icon for its event, in the colour of what it means. */
import {
  ArrowDownToLine,
  ArrowLeftRight,
  ArrowUpFromLine,
  BadgeCheck,
  Bell,
  Building2,
  ChartCandlestick,
  CircleCheck,
  HandCoins,
  Lock,
  LockOpen,
  type LucideIcon,
  Megaphone,
  MonitorSmartphone,
  Percent,
  ShieldAlert,
  TicketPercent,
  TriangleAlert,
  Undo2,
  Users,
} from 'lucide-react';

export type Tone = 'neutral' | 'base' | 'up' | 'down' | 'warn';

export interface Look {
  icon: LucideIcon;
  tone: Tone;
}

const look = (icon: LucideIcon, tone: Tone): Look => ({ icon, tone });

const LOOKS: Readonly<Record<string, Look>> = {
  order_filled: look(CircleCheck, 'up'),
  orders_filled: look(CircleCheck, 'up'),
  contract_order_filled: look(CircleCheck, 'up'),
  contract_orders_filled: look(CircleCheck, 'up'),
  ticket_opened: look(ChartCandlestick, 'base'),
  ticket_closed: look(ChartCandlestick, 'base'),
  ticket_liquidated: look(TriangleAlert, 'down'),
  risk_warning: look(TriangleAlert, 'warn'),
  position_liquidated: look(TriangleAlert, 'down'),
  position_deleveraged: look(TriangleAlert, 'warn'),
  funding: look(Percent, 'base'),
  option_void: look(Undo2, 'neutral'),
  deposit: look(ArrowDownToLine, 'up'),
  deposit_small: look(ArrowDownToLine, 'warn'),
  withdrawal_requested: look(ArrowUpFromLine, 'base'),
  withdrawal_refused: look(ArrowUpFromLine, 'down'),
  withdrawal_cancelled: look(ArrowUpFromLine, 'neutral'),
  withdrawal_paid: look(ArrowUpFromLine, 'up'),
  transfer_received: look(ArrowLeftRight, 'up'),
  tier: look(BadgeCheck, 'base'),
  account_locked: look(Lock, 'down'),
  account_active: look(LockOpen, 'up'),
  copy_skipped: look(Users, 'warn'),
  copy_detached: look(Users, 'base'),
  profit_shared: look(HandCoins, 'up'),
  coupon_issued: look(TicketPercent, 'up'),
  corporate_action: look(Building2, 'base'),
  login: look(MonitorSmartphone, 'base'),
  verification_failed: look(BadgeCheck, 'down'),
  security: look(ShieldAlert, 'warn'),
  announcement: look(Megaphone, 'base'),
};

const OTHER = look(Bell, 'neutral');

/** An event of a newer server has the look of messages in general. */
export const lookOf = (event: string): Look => LOOKS[event] ?? OTHER;

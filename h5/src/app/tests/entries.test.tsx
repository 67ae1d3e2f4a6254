/** Walks over every entry of the pages that offer products: each leads somewhere, or says beforehand that it comes later. */
import { cleanup, screen, waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { queryClient } from '@/lib/query';
import { appStore } from '@/lib/state';
import { toastsAtom } from '@/lib/toast';
import { freshBackend, open } from '@/testing/renderApp';

// jsdom has no canvas, and nothing on the chart is an entry.
vi.mock('@/trading/chart/priceChart', async (original) => ({
  ...(await original<object>()),
  PriceChart: class {
    setHistory() {}
    update() {}
    setLines() {}
    destroy() {}
  },
}));

const world = freshBackend();

interface Place {
  name: string;
  href: string;
  member?: boolean;
  /** Pressed first: opens what the entries are in. */
  through?: string;
}

const PLACES: readonly Place[] = [
  { name: 'home of a guest', href: '/pages/index/index' },
  { name: 'home of a member', href: '/pages/index/index', member: true },
  { name: 'account panel', href: '/pages/index/index', member: true, through: 'Open the account panel' },
  { name: 'kinds of trading', href: '/pages/transaction/currency', through: 'Trade' },
  { name: 'futures', href: '/pages/transaction/contract', member: true },
  { name: 'positions', href: '/pages/transaction/contract_order', member: true },
  { name: 'options', href: '/pages/transaction/options', member: true },
  { name: 'all options', href: '/pages/transaction/seconds_order', member: true },
  { name: 'markets', href: '/pages/market/market', member: true },
  { name: 'stocks', href: '/pages/market/market?kind=stock', member: true },
  { name: 'earn', href: '/pages/financial/index', member: true },
  { name: 'assets', href: '/pages/fund/assets', member: true },
  { name: 'one coin', href: '/pages/fund/assets_record?currency=3&type=change', member: true },
  { name: 'transfer', href: '/pages/fund/transfer', member: true },
  { name: 'coins to deposit', href: '/pages/fund/select?url=receive', member: true },
  { name: 'a deposit', href: '/pages/fund/receive?currency=1&network=BTC', member: true },
  { name: 'deposits', href: '/pages/fund/receive_withdraw_record', member: true },
  { name: 'coins to withdraw', href: '/pages/fund/select?url=withdraw', member: true },
  { name: 'a withdrawal', href: '/pages/fund/withdraw?currency=1&network=BTC', member: true },
  { name: 'withdrawals', href: '/pages/fund/receive_withdraw_record?tab=withdraw', member: true },
  { name: 'address book', href: '/pages/setting/wallet', member: true },
  { name: 'a new address', href: '/pages/setting/addWallet', member: true },
  { name: 'password for payments', href: '/pages/setting/payPassword', member: true },
  { name: 'identity verification', href: '/pages/setting/real_mark', member: true },
  { name: 'who somebody is', href: '/pages/setting/real?type=1', member: true },
  { name: 'a phone', href: '/pages/setting/security/phone', member: true },
  { name: 'flash exchange', href: '/pages/tx/flashexchange', member: true },
  { name: 'traders', href: '/pages/follow/index', member: true },
  { name: 'one trader', href: '/pages/follow/trader?uid=200001', member: true },
  { name: 'the way to follow', href: '/pages/follow/follow?uid=200001', member: true },
  { name: 'own copies', href: '/pages/follow/mine', member: true },
  { name: 'becoming a trader', href: '/pages/follow/apply', member: true },
  { name: 'settings', href: '/pages/setting/setting', member: true },
  { name: 'security', href: '/pages/setting/security', member: true },
  { name: 'messages', href: '/pages/mailMessage/mailMessage', member: true },
  { name: 'messages of the account', href: '/pages/mailMessage/mailMessageList', member: true },
  { name: 'announcements of a guest', href: '/pages/mailMessage/List' },
  { name: 'a message', href: '/pages/mailMessage/Detail?id=3&kind=system', member: true },
  { name: 'contacts', href: '/pages/contactus/index' },
  { name: 'the way to a home screen', href: '/pages/common/download' },
  { name: 'reserves', href: '/pages/por/reserves' },
  { name: 'about', href: '/pages/common/about', member: true },
  { name: 'login', href: '/pages/common/login' },
];

const NOT_YET = /under development|coming soon/i;
const nameOf = (entry: HTMLElement) => (entry.getAttribute('aria-label') ?? entry.textContent ?? '').trim();
const toasts = () => appStore.get(toastsAtom).map(({ text }) => text);

/** What can be pressed now; a dialog or menu that is open comes before the rest. */
function entriesNow(): HTMLElement[] {
  const opened = document.querySelector<HTMLElement>('dialog[open], #trade-menu');
  return Array.from((opened ?? document.body).querySelectorAll<HTMLElement>('button, a[href], [role=tab]'));
}

async function enter({ href, member = false, through }: Place): Promise<ReturnType<typeof open>> {
  cleanup();
  appStore.set(toastsAtom, []);
  queryClient.clear();
  const view = open(href, { member });
  await waitFor(() => expect(entriesNow().length).toBeGreaterThan(1));
  await waitFor(() => expect(screen.queryAllByRole('status', { name: 'Loading' })).toEqual([]));
  if (through) {
    await view.user.click(screen.getByRole('button', { name: through }));
    await waitFor(() => expect(document.querySelector('dialog[open], #trade-menu')).not.toBeNull());
  }
  return view;
}

async function press(place: Place, index: number): Promise<{ name: string; fault: string | undefined } | undefined> {
  const { user } = await enter(place);
  const entry = entriesNow()[index];
  if (!entry) return undefined;
  const name = nameOf(entry);
  const before = { hash: window.location.hash, dialogs: document.querySelectorAll('dialog[open]').length };
  const later = entry.getAttribute('aria-disabled') === 'true';
  await user.click(entry);
  await new Promise((resolve) => setTimeout(resolve, 0));
  const said = toasts().find((text) => NOT_YET.test(text));
  if (said) return { name, fault: `answers “${said}”` };
  if (!later) return { name, fault: undefined };
  if (!/Coming soon/.test(name)) return { name, fault: 'is disabled and does not say why' };
  if (/primary/.test(entry.className)) return { name, fault: 'is a primary button' };
  const after = { hash: window.location.hash, dialogs: document.querySelectorAll('dialog[open]').length };
  return { name, fault: after.hash === before.hash && after.dialogs === before.dialogs ? undefined : 'does something' };
}

test.each(PLACES)(
  'no entry of $name answers that it is under development',
  async (place) => {
    world.backend.seedLogs(3);
    world.backend.mail.seed(3);
    const faults: string[] = [];
    let pressed = 0;
    for (;;) {
      const result = await press(place, pressed);
      if (!result) break;
      pressed += 1;
      if (result.fault) faults.push(`${result.name} ${result.fault}`);
    }
    expect(pressed).toBeGreaterThan(1);
    expect(faults).toEqual([]);
  },
  600_000,
);

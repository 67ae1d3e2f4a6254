/** Messages: the bell and its number, the three kinds, lists, one message, and what a guest reads. */
import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { dispatchSession } from '@/lib/session';
import { TOKEN } from '@/testing/fakes/call.ts';
import { FakeDesk } from '@/testing/fakes/desk.ts';
import { installMarket } from '@/testing/fakes/port.ts';
import { FakeRealtime } from '@/testing/fakes/realtime.ts';
import { currentHash, freshBackend, open, pressable } from '@/testing/renderApp';

const realtime = new FakeRealtime();
installMarket(() => realtime);
const world = freshBackend();
let desk: FakeDesk;

beforeEach(() => {
  desk = new FakeDesk(realtime, TOKEN);
});

const HOME = '/pages/index/index';
const MAIL = '/pages/mailMessage/mailMessage';
const SYSTEM = '/pages/mailMessage/mailMessageList';
const NOTICES = '/pages/mailMessage/List';
const detail = (id: string, kind = 'system') => `/pages/mailMessage/Detail?id=${id}&kind=${kind}`;

const sent = (path: string) => world.backend.requests.filter((request) => request.path === path);
const bell = (unread: string) => screen.findByRole('button', { name: `Messages, unread: ${unread}` });
const listened = () =>
  waitFor(() => expect([...realtime.sessions].some(({ account }) => account === desk.account)).toBe(true));
/** From another app, where this one was out of sight. */
const comeBack = () => act(() => void document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
const broken = { status: 500, body: {}, broken: true };

test('the bell says how many messages are unread, and leads to them', async () => {
  world.backend.mail.seed(6);
  const { user } = open(HOME, { member: true });
  // Three of the account, four announcements.
  await user.click(await bell('7'));
  await waitFor(() => expect(currentHash()).toBe(MAIL));
});

test('from a hundred on the bell says so, and it has no number when everything was read', async () => {
  world.backend.news = [];
  world.backend.mail.seed(240);
  open(HOME, { member: true });
  expect(await bell('99+')).toHaveTextContent('99+');
  world.backend.mail.readAll(undefined);
  comeBack();
  expect(await screen.findByRole('button', { name: 'Messages' })).toHaveTextContent('');
});

test.each(['with a number', 'without one'])(
  'an event of the account, %s, changes the number at the bell',
  async (how) => {
    world.backend.news = [];
    open(HOME, { member: true });
    await listened();
    const asked = () => sent('/mailMessage/unread').length;
    await waitFor(() => expect(asked()).toBe(1));
    const frame = { event: 'mail', data: { kind: 'system' } };
    const tell = () => (how === 'with a number' ? desk.fact([frame]) : desk.moment(frame));
    // Several at once are one question, and it is not asked before the messages are written.
    for (let count = 0; count < 3; count += 1) act(tell);
    expect(asked()).toBe(1);
    for (let count = 0; count < 3; count += 1) world.backend.mail.add();
    expect(await bell('3')).toHaveTextContent('3');
    expect(asked()).toBe(2);
  },
);

test('whoever comes back to the app after a moment sees what came meanwhile', async () => {
  world.backend.news = [];
  open(HOME, { member: true });
  await waitFor(() => expect(sent('/mailMessage/unread')).toHaveLength(1));
  world.backend.mail.add();
  comeBack();
  await bell('1');
});

test('the number comes with a login and goes with the logout', async () => {
  world.backend.mail.seed(2);
  open(HOME);
  expect(await screen.findByRole('button', { name: 'Announcements' })).toHaveTextContent('');
  expect(sent('/mailMessage/unread')).toEqual([]);
  act(() => dispatchSession({ type: 'login', token: TOKEN }));
  await bell('5');
  act(() => dispatchSession({ type: 'logout' }));
  expect(await screen.findByRole('button', { name: 'Announcements' })).toHaveTextContent('');
});

test('the three kinds show what is new of each and the last of it, and all can be marked as read', async () => {
  world.backend.mail.seed(6);
  const { user } = open(MAIL, { member: true });
  const rows = () => within(screen.getByRole('list', { name: 'Messages' })).getAllByRole('button');
  await waitFor(() =>
    expect(rows().map((row) => row.textContent)).toEqual([
      'Customer serviceHow to reach us',
      expect.stringMatching(/^System messagesJust now.*0\.125 BTC arrived3$/),
      expect.stringMatching(/^Announcements.*Spot fees lowered for makers from December4$/),
    ]),
  );
  await user.click(await pressable('Mark all as read'));
  await waitFor(() => expect(rows()[1]).toHaveTextContent(/arrived$/));
  expect(rows()[2]).toHaveTextContent(/December$/);
  expect(screen.getByRole('button', { name: 'Mark all as read' })).toBeDisabled();
  expect(world.backend.mail.unread()).toEqual({ service: 0, system: 0, notice: 0 });
});

test('the kinds stay where they are when nobody answers, and a retry brings what is new', async () => {
  world.backend.mail.seed(2);
  world.backend.override('/mailMessage/getList', () => broken);
  const { user } = open(MAIL, { member: true });
  const retry = await screen.findByRole('button', { name: 'Retry' });
  expect(screen.getByRole('button', { name: /^System messages\s?Orders, funds and security/ })).toBeInTheDocument();
  world.backend.reset('/mailMessage/getList');
  await user.click(retry);
  expect(await screen.findByText('0.125 BTC arrived')).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'Retry' })).toBeNull();
});

test('a message that cannot be loaded offers a retry', async () => {
  world.backend.mail.seed(1);
  world.backend.override('/mailMessage/detail', () => broken);
  const { user } = open(detail('1'), { member: true });
  const retry = await screen.findByRole('button', { name: 'Retry' });
  world.backend.reset('/mailMessage/detail');
  await user.click(retry);
  expect(await screen.findByRole('heading', { name: '0.125 BTC arrived' })).toBeInTheDocument();
});

test('customer service leads to the contacts, with what they name as links', async () => {
  const { user } = open(MAIL, { member: true });
  await user.click(await screen.findByRole('button', { name: /^Customer service/ }));
  await waitFor(() => expect(currentHash()).toBe('/pages/contactus/index'));
  const links = await screen.findAllByRole('link');
  expect(links.map((link) => [link.textContent, link.getAttribute('href')])).toEqual([
    ['support@example.com', 'mailto:support@example.com'],
    ['+1 555 0100', 'tel:+15550100'],
    ['our status page', 'https://status.example.com'],
  ]);
  expect(screen.queryByText(/under development/i)).toBeNull();
});

test('messages come page by page; one that is opened is read afterwards, and leads to what it is about', async () => {
  world.backend.mail.seed(45);
  const { user } = open(SYSTEM, { member: true });
  const list = await screen.findByRole('list', { name: 'System messages' });
  await waitFor(() => expect(list.children).toHaveLength(45));
  expect(sent('/mailMessage/getList').map(({ params }) => [params.kind, params.page])).toEqual([
    ['system', '1'],
    ['system', '2'],
    ['system', '3'],
  ]);
  const unread = () => within(screen.getByRole('list', { name: 'System messages' })).queryAllByText('Unread');
  expect(unread()).toHaveLength(23);
  await user.click(screen.getAllByRole('button', { name: /^0\.125 BTC arrived/ })[0] as HTMLElement);
  await waitFor(() => expect(currentHash()).toBe(detail('45')));
  expect(await screen.findByRole('heading', { name: '0.125 BTC arrived' })).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Back' }));
  await waitFor(() => expect(unread()).toHaveLength(22));
  await user.click(screen.getAllByRole('button', { name: /^0\.125 BTC arrived/ })[0] as HTMLElement);
  await user.click(await pressable('View details'));
  await waitFor(() => expect(currentHash()).toBe('/pages/fund/receive_withdraw_record'));
});

test('a message that came between two pages is shown once', async () => {
  world.backend.mail.seed(30);
  world.backend.override('/mailMessage/getList', ({ params }) => {
    if (params.page === '2') world.backend.mail.add({ title: 'Meanwhile' });
    return undefined;
  });
  open(SYSTEM, { member: true });
  const list = await screen.findByRole('list', { name: 'System messages' });
  await waitFor(() => expect(list.children).toHaveLength(30));
});

test('without messages there is a way on', async () => {
  const { user } = open(SYSTEM, { member: true });
  expect(await screen.findByText('No messages yet')).toBeInTheDocument();
  await user.click(await pressable('Markets'));
  await waitFor(() => expect(currentHash()).toBe('/pages/market/market'));
});

test('a list that cannot be loaded offers a retry, and one that cannot go on keeps its rows', async () => {
  world.backend.mail.seed(25);
  const faults = new Set(['1', '2']);
  world.backend.override('/mailMessage/getList', ({ params }) => (faults.has(params.page ?? '') ? broken : undefined));
  const { user } = open(SYSTEM, { member: true });
  const retry = () => screen.findByRole('button', { name: 'Retry' });
  const first = await retry();
  faults.delete('1');
  await user.click(first);
  const list = await screen.findByRole('list', { name: 'System messages' });
  const again = await retry();
  expect(list.children).toHaveLength(20);
  faults.clear();
  await user.click(again);
  await waitFor(() => expect(list.children).toHaveLength(25));
});

test('an event that this version does not know is shown like any other', async () => {
  world.backend.mail.add({ event: 'of_a_newer_server', title: 'Something new' });
  open(SYSTEM, { member: true });
  expect(await screen.findByRole('button', { name: /^Something new/ })).toBeInTheDocument();
});

test('an announcement keeps its headings and lists, and the text of a message is text', async () => {
  const { unmount } = open(detail('40', 'notice'), { member: true });
  expect(await screen.findByRole('heading', { name: 'In short' })).toBeInTheDocument();
  unmount();
  const { id } = world.backend.mail.add({ content: '<b>1 < 2</b>' });
  open(detail(id), { member: true });
  expect(await screen.findByText('<b>1 < 2</b>')).toBeInTheDocument();
  // It leads nowhere that this app has.
  expect(screen.getByRole('button', { name: 'View details' })).toBeInTheDocument();
});

test.each(['', '/pages/nowhere/at_all', '/pages/nft/nft', 'https://evil.example/'])(
  'a message that leads to %j has no button',
  async (url) => {
    const { id } = world.backend.mail.add({ url, title: 'Something' });
    open(detail(id), { member: true });
    expect(await screen.findByRole('heading', { name: 'Something' })).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'View details' })).toBeNull();
  },
);

test('a message that is gone says so and leads to the others', async () => {
  const { user } = open(detail('4711'), { member: true });
  expect(await screen.findByText('This message is no longer there')).toBeInTheDocument();
  await user.click(await pressable('All messages'));
  await waitFor(() => expect(currentHash()).toBe(SYSTEM));
});

test('a guest reads the announcements as articles', async () => {
  const { user } = open(HOME);
  await user.click(await screen.findByRole('button', { name: 'Announcements' }));
  await waitFor(() => expect(currentHash()).toBe(NOTICES));
  expect(screen.queryByRole('button', { name: 'Mark all as read' })).toBeNull();
  await user.click(await screen.findByRole('button', { name: /^NOVA is now open for trading/ }));
  await waitFor(() => expect(currentHash()).toBe('/pages/common/article?id=41'));
  expect(sent('/mailMessage/getList')).toEqual([]);
});

test('a member marks the announcements as read, and nothing else', async () => {
  world.backend.mail.seed(4);
  const { user } = open(NOTICES, { member: true });
  const list = await screen.findByRole('list', { name: 'Announcements' });
  expect(within(list).getAllByText('Unread')).toHaveLength(4);
  await user.click(await pressable('Mark all as read'));
  await waitFor(() => expect(within(list).queryAllByText('Unread')).toEqual([]));
  expect(world.backend.mail.unread()).toEqual({ service: 0, system: 2, notice: 0 });
});

test('settings lead to the messages, with their number', async () => {
  world.backend.mail.seed(2);
  const { user } = open('/pages/setting/setting', { member: true });
  await user.click(await screen.findByRole('button', { name: /^Messages\s?5$/ }));
  await waitFor(() => expect(currentHash()).toBe(MAIL));
});

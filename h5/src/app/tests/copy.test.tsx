import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { ok, TOKEN } from '@/testing/fakes/call.ts';
import { page } from '@/testing/fakes/calls/lever.ts';
import { FakeDesk } from '@/testing/fakes/desk.ts';
import { installMarket } from '@/testing/fakes/port.ts';
import { FakeRealtime } from '@/testing/fakes/realtime.ts';
import { currentHash, freshBackend, open, toastTimes } from '@/testing/renderApp';

const realtime = new FakeRealtime();
installMarket(() => realtime);
const world = freshBackend();

beforeEach(() => {
  const desk = new FakeDesk(realtime, TOKEN);
  const { backend } = world;
  backend.desk = desk;
  backend.lever.teller = desk;
  backend.copy.teller = desk;
  desk.others = () => backend.walletRows('lever');
  has('2500');
});

/** What the futures account has. */
function has(available: string): void {
  const row = world.backend.holdings.find(({ account }) => account === 'lever');
  if (row) Object.assign(row, { available, locked: '0' });
  world.backend.copy.teller?.fact([]);
}

const ANN = 200_001;
const INDEX = '/pages/follow/index';
const FORM = `/pages/follow/follow?uid=${ANN}`;
const MINE = '/pages/follow/mine';
const sent = (path: string) => world.backend.requests.filter((request) => request.path === path);
const copyAnn = (number = '1') => world.backend.copy.follow({ trader_user_id: String(ANN), number, type: '1' });
const button = (name: string | RegExp) => screen.findByRole('button', { name });

test('a card shows losses and skips beside profit, and how old the figures are', async () => {
  open(INDEX);
  expect(await screen.findByText(/yours opens at the index of that moment/)).toBeInTheDocument();
  const card = await screen.findByRole('article', { name: 'Ann Carry' });
  for (const text of [
    'Total profit (USDT)+18,400.50',
    'Yield+212.60%',
    'Worst day-3,120.40',
    'Max. drawdown18.35%',
    'Win rate71.40% (412)',
    'Followers348',
    'Copies skipped12',
  ]) {
    expect(card).toHaveTextContent(text);
  }
  expect(screen.getByText(/^Data is updated every hour\. As of .*, journal record 48,211,907\.$/)).toBeInTheDocument();
});

test('the list is sorted and filtered by the server, page by page', async () => {
  const { user } = open(INDEX);
  await waitFor(() => expect(screen.getAllByRole('article')).toHaveLength(17));
  expect(sent('/follow/index').map(({ params }) => [params.page, params.limit, params.sort])).toEqual([
    ['1', '15', 'profit'],
    ['2', '15', 'profit'],
  ]);
  await user.click(await button(/^Sort by/));
  await user.click(within(await screen.findByRole('dialog', { name: 'Sort by' })).getByText('Followers'));
  await user.click(screen.getByRole('checkbox', { name: 'With positions only' }));
  await waitFor(() => expect(screen.getAllByRole('article')).toHaveLength(9));
  expect(sent('/follow/index').at(-1)?.params).toMatchObject({ sort: 'followers', only_position: '1' });
});

test('a guest may read, and logs in to follow', async () => {
  const { user } = open(`/pages/follow/trader?uid=${ANN}`);
  await user.click(await button('Follow'));
  expect(await screen.findByRole('heading', { name: 'Please log in first' })).toBeInTheDocument();
});

test('what a copy would cost is told in money before somebody follows', async () => {
  open(FORM, { member: true });
  const example = await screen.findByRole('region', { name: 'Example in money' });
  await waitFor(() => expect(example).toHaveTextContent('You would open10 lots, 20×'));
  const index = world.backend.lever.index('BTC');
  const two = (value: number) => value.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  expect(example).toHaveTextContent(`Position value${two(index * 0.1)} USDT`);
  expect(example).toHaveTextContent(`Margin${two((index * 0.1) / 20)} USDT`);
  expect(example).toHaveTextContent('You have now2,500 USDT');
  expect(example).not.toHaveTextContent('would be skipped');
});

test('a balance that would not cover a copy is told beforehand', async () => {
  has('100');
  const { user } = open(FORM, { member: true });
  const example = await screen.findByRole('region', { name: 'Example in money' });
  await waitFor(() => expect(example).toHaveTextContent('Your balance would not cover it'));
  await user.click(screen.getByRole('tab', { name: 'Fixed lots' }));
  await waitFor(() => expect(example).toHaveTextContent('You would open1 lots, 20×'));
  expect(example).not.toHaveTextContent('would be skipped');
});

test('more lots than the contract allows at the leverage of the trader are told as a skip', async () => {
  const { backend } = world;
  const [last] = backend.copy.history(ANN);
  const trades = page([{ ...last, share: '100', multiple: 100 }], { limit: '1' });
  backend.override('/follow/historyTrade', () => ({ status: 200, body: ok(trades) }));
  const { user } = open(FORM, { member: true });
  const example = await screen.findByRole('region', { name: 'Example in money' });
  await waitFor(() => expect(example).toHaveTextContent('You would open100 lots, 100×'));
  expect(example).not.toHaveTextContent('are not allowed');
  const number = screen.getByLabelText("Multiple of the trader's lots");
  await user.clear(number);
  await user.type(number, '5');
  expect(example).toHaveTextContent('You would open500 lots, 100×');
  expect(example).toHaveTextContent('500 lots are not allowed at 100×: the copy would be skipped');
  expect(example).toHaveTextContent('Margin--');
});

test.each([
  ['en', 'at the index of its own moment', 'Its leverage is the trader’s.', 'A copy is isolated'],
  ['zh', '按其开立时的指数价格开立', '杠杆与交易员相同。', '跟单仓位为逐仓'],
])('the agreement in %s promises neither the price of the trader nor another leverage', async (language, ...points) => {
  open(`/pages/follow/agreement_${language}`);
  const agreement = await screen.findByRole('article');
  for (const point of points) expect(agreement).toHaveTextContent(point);
});

test('an empty history tells since when it counts', async () => {
  open(`/pages/follow/trader?uid=${ANN + 16}`);
  expect(await screen.findByText(/^Every trade that the user has closed since becoming a trader/)).toBeInTheDocument();
});

test('somebody follows once the agreement is accepted and the number is right', async () => {
  const { user } = open(FORM, { member: true });
  const number = await screen.findByLabelText("Multiple of the trader's lots");
  await user.clear(number);
  await user.type(number, '5.5');
  expect(await screen.findByText('At most 5')).toBeInTheDocument();
  await user.clear(number);
  await user.type(number, '0.25');
  await user.click(await button('Confirm follow'));
  expect(await screen.findByText('Please accept the agreement first')).toBeInTheDocument();
  expect(sent('/follow/follow')).toHaveLength(0);
  expect(screen.getByRole('link', { name: 'Copy trading agreement' })).toHaveAttribute(
    'href',
    '#/pages/follow/agreement_en',
  );
  await user.click(screen.getByRole('checkbox'));
  // A press within a second of the last one would be none.
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  await user.click(await button('Confirm follow'));
  await waitFor(() => expect(currentHash()).toBe(`/pages/follow/trader?uid=${ANN}`));
  expect(sent('/follow/follow')[0]?.params).toMatchObject({ trader_user_id: String(ANN), number: '0.25', type: '1' });
  expect(sent('/follow/follow')[0]?.key).not.toBe('');
  expect(await screen.findByText("You follow with 0.25× the trader's lots.")).toBeInTheDocument();
});

test('an edit begins with what was chosen, and stopping tells what becomes of open copies', async () => {
  copyAnn('0.5');
  world.backend.copy.open(ANN);
  const { user } = open(FORM, { member: true });
  expect(await screen.findByDisplayValue('0.5')).toBeInTheDocument();
  expect(screen.getByText(/^The number counts for copies that open from now on/)).toHaveTextContent(
    'The profit share above counts for everything that is not settled yet.',
  );
  await user.click(await button('Save changes'));
  await waitFor(() => expect(sent('/follow/follow')[0]?.params.number).toBe('0.5'));
  await user.click(await button('Stop following'));
  const dialog = await screen.findByRole('dialog', { name: 'Stop following Ann Carry?' });
  expect(dialog).toHaveTextContent('Open copies stay linked');
  expect(sent('/follow/cancel')).toHaveLength(0);
  await user.click(within(dialog).getByRole('button', { name: 'Stop following' }));
  expect(await button('Follow')).toBeInTheDocument();
  expect(sent('/follow/cancel')[0]?.params.follow_user_id).toBe(String(ANN));
  expect(screen.queryByText('Result of your copies')).not.toBeInTheDocument();
});

test('own copies show what is withheld and the mark, and one is held alone after a question', async () => {
  copyAnn();
  const link = world.backend.copy.follows.get(ANN);
  if (link) Object.assign(link, { cum: '182.4051', hwm: '120.1', withheld: '6.23' });
  world.backend.copy.open(ANN);
  const { user } = open(MINE, { member: true });
  const card = await screen.findByRole('article', { name: 'Ann Carry' });
  expect(card).toHaveTextContent('1× the lots · Open copies: 1');
  expect(card).toHaveTextContent('Result of copies+182.41High-water mark120.1Share withheld6.23');
  await user.click(screen.getByRole('tab', { name: 'Open copies (1)' }));
  await user.click(await button('Self-hold'));
  const dialog = await screen.findByRole('dialog', { name: 'Take this position over?' });
  await user.click(within(dialog).getByRole('button', { name: 'Self-hold' }));
  expect(await screen.findByText('No open copies')).toBeInTheDocument();
  expect(world.backend.lever.tickets[0]?.order_type).toBe(1);
});

test('a skipped copy and a paid share are told the moment they happen, by the name that the lists know', async () => {
  copyAnn();
  const { user } = open(MINE, { member: true });
  await screen.findByRole('article', { name: 'Ann Carry' });
  await user.click(screen.getByRole('tab', { name: 'Skipped' }));
  await screen.findByText('No copy was skipped');
  const told = toastTimes();
  await act(async () => world.backend.copy.skip(ANN, 'copy_outdated'));
  expect(await screen.findByText(/or the price had moved too far$/)).toBeInTheDocument();
  await act(async () => world.backend.copy.share(ANN, '1.5', '0.25'));
  await waitFor(() =>
    expect([...told.keys()]).toEqual([
      'A position of Ann Carry was not copied.',
      'Profit share with Ann Carry settled: 1.5 USDT paid, 0.25 USDT released',
    ]),
  );
});

test('what tells of a skipped copy leads to the reasons, from a page that has read no list', async () => {
  copyAnn();
  const { user } = open(`/pages/follow/trader?uid=${ANN}`, { member: true });
  await screen.findByText("You follow with 1× the trader's lots.");
  await act(async () => world.backend.copy.skip(ANN));
  await screen.findByText('A position of Ann Carry was not copied.');
  // jsdom shows no popover.
  await user.click(screen.getByRole('button', { name: 'Why', hidden: true }));
  expect(await screen.findByText('Insufficient balance')).toBeInTheDocument();
  expect(currentHash()).toBe(`${MINE}?tab=skips`);
  expect(screen.queryByText('A position of Ann Carry was not copied.')).not.toBeInTheDocument();
});

test('a trader whom no list names is told by a number', async () => {
  open(INDEX, { member: true });
  await screen.findByRole('article', { name: 'Ann Carry' });
  await act(async () => world.backend.copy.skip(ANN));
  expect(await screen.findByText(`A position of #${ANN} was not copied.`)).toBeInTheDocument();
});

test('a copy of the trader is listed as soon as it is opened', async () => {
  copyAnn();
  const { user } = open(MINE, { member: true });
  await user.click(await screen.findByRole('tab', { name: 'Open copies (0)' }));
  await screen.findByText('No open copies');
  await act(async () => {
    world.backend.copy.open(ANN);
  });
  expect(await screen.findByRole('article', { name: 'Long BTC/USDT, 10 lots' })).toBeInTheDocument();
});

test('a copy that its trader closed is in the history as such', async () => {
  copyAnn();
  const copy = world.backend.copy.open(ANN);
  const { user } = open('/pages/transaction/contract_order', { member: true });
  await screen.findByRole('button', { name: 'Copied from Ann Carry' });
  const told = toastTimes();
  await act(async () => world.backend.copy.close(copy));
  await waitFor(() =>
    expect([...told.keys()].join()).toMatch(/^Closed with the trader's at .*: Long BTC\/USDT, 10 lots/),
  );
  await user.click(screen.getByRole('tab', { name: 'History' }));
  const row = await screen.findByRole('article', { name: 'Long BTC/USDT, 10 lots' });
  expect(row).toHaveTextContent('Closed by the trader');
  expect(row).toHaveTextContent('Copied from Ann Carry');
});

test('an application names what is missing', async () => {
  const { copy } = world.backend;
  copy.application = { ...copy.application, closed_count: 3, eligible: false };
  open('/pages/follow/apply', { member: true });
  const needs = await screen.findAllByRole('listitem');
  expect(needs.map(({ textContent }) => textContent)).toEqual([
    '500 USDT in the futures accountYou have 2,500 USDT.Met',
    '10 closed futures tradesYou have closed 3.Go to futuresNot met yet',
  ]);
  expect(await button('Apply')).toBeDisabled();
});

test('an applicant who follows somebody is told so by the server', async () => {
  const { copy } = world.backend;
  copyAnn();
  copy.application = { ...copy.application, eligible: false };
  const { user } = open('/pages/follow/apply', { member: true });
  await user.type(await screen.findByLabelText('Introduction'), 'Trends');
  await user.click(await button('Apply'));
  expect(await screen.findByText('Traders cannot follow')).toBeInTheDocument();
});

test('a refused application tells why, and is sent again with an introduction', async () => {
  const { copy } = world.backend;
  copy.application = { ...copy.application, state: 3, reason: 'Too few details' };
  const { user } = open('/pages/follow/apply', { member: true });
  await user.click(await button('Apply again'));
  expect(await screen.findByText('Write how you trade')).toBeInTheDocument();
  expect(screen.getByText('Too few details')).toBeInTheDocument();
  await user.type(screen.getByLabelText('Introduction'), 'Trends, two positions at most');
  await user.click(await button('Apply again'));
  expect(await screen.findByText('A person looks at it. You will find the answer here.')).toBeInTheDocument();
  expect(sent('/follow/apply')[0]?.params.intro).toBe('Trends, two positions at most');
});

test('a list that cannot be read says so and is asked again; rows stay', async () => {
  world.backend.override('/follow/my', () => ({ status: 200, body: { type: 'error', code: 1020, message: 'Busy' } }));
  copyAnn();
  const { user } = open(MINE, { member: true });
  expect(await screen.findByText('Busy')).toBeInTheDocument();
  world.backend.reset('/follow/my');
  await user.click(await button('Retry'));
  expect(await screen.findByRole('article', { name: 'Ann Carry' })).toBeInTheDocument();
});

test('a trader who does not exist leads to the others', async () => {
  const { user } = open('/pages/follow/trader?uid=5', { member: true });
  await user.click(await button('All traders'));
  await waitFor(() => expect(currentHash()).toBe(INDEX));
});

test('the home page and the list of products lead to the traders, where the server has them', async () => {
  const view = open('/pages/index/index', { member: true });
  await view.user.click(await button(/^Copy a trader/));
  await waitFor(() => expect(currentHash()).toBe(INDEX));
  view.unmount();
  world.backend.features = { spot: true };
  open('/pages/financial/index', { member: true });
  expect(await button('Copy trading')).not.toHaveAttribute('aria-disabled');
});

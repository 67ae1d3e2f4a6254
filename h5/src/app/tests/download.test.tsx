/** The way to a home screen. */
import { act, screen, waitFor, within } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { currentHash, freshBackend, open } from '@/testing/renderApp';

freshBackend();
afterEach(() => vi.restoreAllMocks());

const DOWNLOAD = '/pages/common/download';
const steps = () => within(screen.getByRole('tabpanel')).getAllByRole('listitem');

/** The browser offers to install the app; what it asked is counted. */
function offer() {
  const prompt = vi.fn(() => Promise.resolve());
  const event = Object.assign(new Event('beforeinstallprompt', { cancelable: true }), { prompt });
  act(() => void window.dispatchEvent(event));
  expect(event.defaultPrevented).toBe(true);
  return prompt;
}

test('what the browser offered on another page is a button here, for one press', async () => {
  const { user, unmount } = open('/pages/market/market');
  await screen.findByRole('navigation', { name: 'Main sections' });
  const prompt = offer();
  unmount();
  open(DOWNLOAD);
  await user.click(await screen.findByRole('button', { name: 'Install now' }));
  expect(prompt).toHaveBeenCalledOnce();
  expect(screen.queryByRole('button', { name: 'Install now' })).toBeNull();
});

test('home offers it too, until that is closed for good', async () => {
  const { user } = open('/pages/index/index');
  await screen.findByRole('button', { name: 'Create account' });
  offer();
  const strip = within(await screen.findByRole('complementary'));
  await user.click(strip.getByRole('button', { name: 'Close' }));
  expect(screen.queryByRole('complementary')).toBeNull();
  act(() => void window.dispatchEvent(new Event('appinstalled')));
});

test('the steps are those of the device that reads them, and the others are there', async () => {
  vi.spyOn(navigator, 'userAgent', 'get').mockReturnValue('Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X)');
  const { user } = open(DOWNLOAD);
  expect(await screen.findByRole('tab', { name: 'iPhone, iPad' })).toHaveAttribute('aria-selected', 'true');
  expect(steps()[0]).toHaveTextContent('Open this site in Safari.');
  await user.click(screen.getByRole('tab', { name: 'Android' }));
  expect(steps()[1]).toHaveTextContent('Open the menu ⋮ and choose “Add to Home screen”.');
  expect(screen.queryByRole('button', { name: 'Install now' })).toBeNull();
});

test('the code and the text are the address of the site itself', async () => {
  const { user } = open(DOWNLOAD);
  expect(await screen.findByRole('img', { name: 'QR code of this site’s address' })).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Copy address' }));
  expect(await navigator.clipboard.readText()).toBe(new URL(import.meta.env.BASE_URL, window.location.origin).href);
});

test('the installed app says that it is', async () => {
  vi.spyOn(window, 'matchMedia').mockImplementation(
    (query) =>
      ({
        matches: /standalone|reduced/.test(query),
        media: query,
        addEventListener() {},
        removeEventListener() {},
      }) as never,
  );
  open(DOWNLOAD);
  expect(await screen.findByText('The app is installed on this device')).toBeInTheDocument();
});

test.each([
  ['/pages/common/about', false],
  ['/pages/setting/setting', true],
])('%s leads there', async (href, member) => {
  const { user } = open(href, { member });
  await user.click(await screen.findByRole('button', { name: 'Download the app' }));
  await waitFor(() => expect(currentHash()).toBe(DOWNLOAD));
});

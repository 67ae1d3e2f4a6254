/** Renders the app from a route against the fake back end, as a person would meet it. */
import { QueryClientProvider } from '@tanstack/react-query';
import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { HashRouter } from 'react-router';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { Shell } from '@/app/App';
import { boot } from '@/app/boot';
import { refreshRates } from '@/lib/fiat';
import { setLanguage } from '@/lib/i18n';
import { queryClient } from '@/lib/query';
import { dispatchSession } from '@/lib/session';
import { appStore, forgetViews, reloadStored, remember } from '@/lib/state';
import { toastsAtom } from '@/lib/toast';
import { FakeBackend } from './fakes/backend.ts';
import { TOKEN } from './fakes/call.ts';
import { USER } from './fakes/calls/account.ts';

export interface World {
  backend: FakeBackend;
}

/** A back end for the tests of one file, fresh for each. */
export function freshBackend(): World {
  const world: World = { backend: new FakeBackend() };
  const server = setupServer(
    http.all('*/api/*', async ({ request }) => {
      const url = new URL(request.url);
      const body = request.method === 'GET' ? '' : await request.text();
      const answer = world.backend.handle({
        method: request.method,
        path: url.pathname.slice('/api'.length),
        params: { ...Object.fromEntries(url.searchParams), ...Object.fromEntries(new URLSearchParams(body)) },
        token: request.headers.get('authorization') ?? '',
        key: request.headers.get('idempotency-key') ?? '',
      });
      return answer === 'lost'
        ? HttpResponse.error()
        : HttpResponse.json(answer.body as never, { status: answer.status });
    }),
  );
  beforeAll(() => server.listen());
  afterAll(() => server.close());
  beforeEach(() => {
    world.backend = new FakeBackend();
    localStorage.clear();
    localStorage.setItem('h5Version', '1');
    reloadStored();
    forgetViews();
    dispatchSession({ type: 'logout' });
  });
  afterEach(async () => {
    dispatchSession({ type: 'logout' });
    queryClient.clear();
    appStore.set(toastsAtom, []);
    window.location.hash = '';
    await setLanguage('en');
    world.backend.assertTruth();
  });
  return world;
}

interface Options {
  /** Logged in as the fake's one account. */
  member?: boolean;
}

let booted = false;

export function open(href: string, { member = false }: Options = {}) {
  window.location.hash = href;
  if (member) {
    dispatchSession({ type: 'login', token: TOKEN });
    dispatchSession({ type: 'user', user: { ...USER } });
  }
  remember({ language: 'en' });
  if (!booted) {
    booted = true;
    boot();
  } else {
    void refreshRates();
  }
  const view = render(
    <QueryClientProvider client={queryClient}>
      <HashRouter>
        <Shell />
      </HashRouter>
    </QueryClientProvider>,
  );
  return { ...view, user: userEvent.setup() };
}

/** The page that the address names now. */
export const currentHash = (): string => window.location.hash.replace(/^#/, '');

/**
 * When each text was first shown as a toast, from now on. On a busy machine a fake clock that also follows the real one
 * runs ahead of the test: a toast may be gone before the test looks for it.
 */
export function toastTimes(): ReadonlyMap<string, number> {
  const first = new Map<string, number>();
  appStore.sub(toastsAtom, () => {
    for (const { text } of appStore.get(toastsAtom)) if (!first.has(text)) first.set(text, Date.now());
  });
  return first;
}

/** The button that submits a ticket, once the account has told what there is: until then every order is too large. */
export async function submitButton(name: string): Promise<HTMLElement> {
  await waitFor(() => expect(screen.getByText('Available').nextElementSibling).not.toHaveTextContent(/^--/));
  return pressable(name);
}

/** A button once it can be pressed: many wait for the book or the index. */
export async function pressable(name: string): Promise<HTMLElement> {
  const button = () => screen.getByRole('button', { name });
  await waitFor(() => expect(button()).toBeEnabled());
  return button();
}

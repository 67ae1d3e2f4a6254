import { Component, type ComponentType, type ReactNode, useCallback, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, Delayed, Empty, NavBar, SkeletonRows } from '@/components/ui';
import { APP_NAME } from '@/config/name';
import { tabOf } from '@/config/paths';
import { serverReturns } from '@/lib/api/reachable';
import { currentPath } from '@/lib/navigation';
import { isOnline } from '@/lib/online';

/** Equal to the timeout of a call. */
export const LAZY_TIMEOUT_MS = 60_000;
/** A page that loads quicker than this shows no placeholder. */
export const PLACEHOLDER_AFTER_MS = 200;

type PageModule = { default: ComponentType };

export class ChunkLoadError extends Error {
  constructor(cause: unknown) {
    super('a page could not be loaded', { cause });
    this.name = 'ChunkLoadError';
  }
}

async function withTimeout(load: () => Promise<PageModule>): Promise<PageModule> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('timeout')), LAZY_TIMEOUT_MS);
  });
  try {
    return await Promise.race([load(), late]);
  } catch (cause) {
    throw new ChunkLoadError(cause);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * A stylesheet that failed stays in the document as a dead link, and the bundler, which has asked for it once, never
 * asks again: the page would come without its looks. Each dead link is replaced by a new one.
 */
const deadStyles = new Set<HTMLLinkElement>();

// Errors of resources do not bubble; a capturing listener hears them all.
window.addEventListener(
  'error',
  ({ target }) => {
    if (target instanceof HTMLLinkElement && target.rel === 'stylesheet') deadStyles.add(target);
  },
  true,
);

async function mendStyles(): Promise<void> {
  const dead = [...deadStyles];
  deadStyles.clear();
  await Promise.all(
    dead.map((link) => {
      const fresh = link.cloneNode() as HTMLLinkElement;
      const done = new Promise<void>((resolve, reject) => {
        fresh.onload = () => resolve();
        fresh.onerror = () => reject(new Error(`no stylesheet at ${fresh.href}`));
      });
      link.replaceWith(fresh);
      return done;
    }),
  );
}

function Problem({ text, onRetry }: { text: string; onRetry(): void }) {
  const { t } = useTranslation();
  return (
    <>
      <NavBar title={APP_NAME} />
      <Empty title={text} action={{ label: t('retry'), onClick: onRetry }} />
    </>
  );
}

interface BoundaryProps {
  children: ReactNode;
  fallback: ReactNode;
}

/** A page that throws must not take the tab bar with it. */
class PageBoundary extends Component<BoundaryProps, { broken: boolean }> {
  override state = { broken: false };

  static getDerivedStateFromError() {
    return { broken: true };
  }

  override render() {
    return this.state.broken ? this.props.fallback : this.props.children;
  }
}

function BrokenPage() {
  const { t } = useTranslation();
  return (
    <div role="alert">
      <Empty title={t('pageBroken')} />
      <Button block tone="ghost" onClick={() => window.location.reload()}>
        {t('reload')}
      </Button>
    </div>
  );
}

/** A page in its own chunk: loaded once, on demand or ahead of it. */
export interface LazyPage {
  readonly loaded: ComponentType | null;
  load(): Promise<void>;
}

export function lazyPage(load: () => Promise<PageModule>): LazyPage {
  let loaded: ComponentType | null = null;
  return {
    get loaded() {
      return loaded;
    },
    async load() {
      if (loaded) return;
      const { default: component } = await withTimeout(async () => {
        const module = await load();
        await mendStyles();
        return module;
      });
      loaded = component;
    },
  };
}

/**
 * Shows a page as soon as its chunk is there. Unlike React.lazy it can be tried again after a failure and gives up
 * after a timeout; a second failure reloads the app, because browsers may remember that a chunk failed.
 */
export function LazyView({ page }: { page: LazyPage }) {
  const { t } = useTranslation();
  const [ready, setReady] = useState(page.loaded !== null);
  const [attempt, setAttempt] = useState(0);
  const [failed, setFailed] = useState(false);

  useEffect(() => {
    let current = true;
    page.load().then(
      () => {
        if (current) setReady(true);
      },
      () => {
        if (!current) return;
        // Without a network a reload could end with no app at all.
        if (attempt > 0 && isOnline()) window.location.reload();
        else setFailed(true);
      },
    );
    return () => {
      current = false;
    };
  }, [page, attempt]);

  const retry = useCallback(() => {
    setFailed(false);
    setAttempt((count) => count + 1);
  }, []);

  // A server that was away when the chunk was wanted: the page follows as soon as it is back.
  useEffect(() => {
    if (!failed) return;
    const leave = new AbortController();
    void serverReturns(leave.signal).then((returned) => {
      if (returned) retry();
    });
    return () => leave.abort();
  }, [failed, retry]);

  const Page = page.loaded;
  if (failed) return <Problem text={t('pageLoadFailed')} onRetry={retry} />;
  if (!ready || !Page) {
    return (
      <Delayed ms={PLACEHOLDER_AFTER_MS}>
        <NavBar title={t('loading')} heading={<span />} noBack={tabOf(currentPath()) !== null} />
        <SkeletonRows />
      </Delayed>
    );
  }
  return (
    <PageBoundary fallback={<BrokenPage />}>
      <Page />
    </PageBoundary>
  );
}

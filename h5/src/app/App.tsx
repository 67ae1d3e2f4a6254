import { QueryClientProvider } from '@tanstack/react-query';
import { useEffect, useLayoutEffect } from 'react';
import { HashRouter, Route, Routes, useLocation, useNavigate } from 'react-router';
import { BusyIndicator, OfflineBar, PageFade, TabBar, Toaster } from '@/components/ui';
import { PATHS, tabOf } from '@/config/paths';
import { bindRouter, intercept } from '@/lib/navigation';
import { queryClient } from '@/lib/query';
import { useScreen } from '@/lib/screen';
import css from './App.module.css';
import { Elsewhere, Protected, plannedPages, TradeEntry } from './guards';
import { LazyView } from './lazyPage';
import { preloadTabs, routes } from './routes';
import { UpdatePrompt } from './UpdatePrompt';

const PRELOAD_AFTER_MS = 3000;

export function Shell() {
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const tab = tabOf(pathname);
  const desk = useScreen() === 'desk';

  useLayoutEffect(() => {
    bindRouter(navigate);
    return () => bindRouter(null);
  }, [navigate]);
  useLayoutEffect(() => intercept(plannedPages), []);
  useEffect(() => {
    const timer = setTimeout(preloadTabs, PRELOAD_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);

  return (
    <div className={css.shell} data-tabbed={tab ? true : undefined}>
      <OfflineBar />
      {/* Where it is seen is where it is read. Two keys: the bar is made anew, and the page stays where it is. */}
      {desk && <TabBar key="top" current={tab} desk />}
      <PageFade key="page">
        {(location) => (
          <Routes location={location}>
            {routes.map(({ path, access, page }) => (
              <Route
                key={path}
                path={path}
                element={
                  access === 'protected' ? (
                    <Protected path={path}>
                      <LazyView key={path} page={page} />
                    </Protected>
                  ) : (
                    <LazyView key={path} page={page} />
                  )
                }
              />
            ))}
            <Route path={PATHS.trade} element={<TradeEntry />} />
            <Route path="*" element={<Elsewhere path={location.pathname} />} />
          </Routes>
        )}
      </PageFade>
      {tab && !desk && <TabBar key="bottom" current={tab} desk={false} />}
      <UpdatePrompt />
      <BusyIndicator />
      <Toaster />
    </div>
  );
}

export function App() {
  return (
    <QueryClientProvider client={queryClient}>
      <HashRouter>
        <Shell />
      </HashRouter>
    </QueryClientProvider>
  );
}

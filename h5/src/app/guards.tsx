import { type ReactNode, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { Navigate } from 'react-router';
import { NavBar, SkeletonRows } from '@/components/ui';
import { accessOf, PATHS } from '@/config/paths';
import { askForLogin } from '@/lib/api/client';
import { i18next } from '@/lib/i18n';
import { currentHref, currentPath, type Interceptor, relaunch } from '@/lib/navigation';
import { useToken } from '@/lib/session';
import { tradeKindAtom, useAtomValue } from '@/lib/state';
import { toast } from '@/lib/toast';

/** Pages of products that this build does not have are announced, not opened: a link in a text may name one. */
export const plannedPages: Interceptor = (target) => {
  if (accessOf(target.path) !== 'planned') return undefined;
  toast(i18next.t('common:soon'));
  return false;
};

/** A protected page: without a token it says so and leads to the login after 1200 ms. */
export function Protected({ path, children }: { path: string; children: ReactNode }) {
  const { t } = useTranslation();
  const token = useToken();
  useEffect(() => {
    // A page that is just fading out after a logout asks for nothing; one that is left takes its question along.
    if (!token && currentPath() === path) return askForLogin(t('loginFirst'), currentHref());
  }, [token, path, t]);
  if (token) return children;
  if (currentPath() !== path) return null;
  return (
    <>
      <NavBar title={t('loginFirst')} />
      <SkeletonRows rows={4} />
    </>
  );
}

/** The tab's own path leads to the kind of trading used last. */
export function TradeEntry() {
  const last = useAtomValue(tradeKindAtom);
  const path = last in PATHS ? PATHS[last as keyof typeof PATHS] : PATHS.currency;
  return <Navigate replace to={accessOf(path) === 'open' ? path : PATHS.currency} />;
}

/** No page behind the path: home, with the reason. */
export function Elsewhere({ path }: { path: string }) {
  const { t } = useTranslation();
  useEffect(() => {
    if (path !== '/') toast(t(accessOf(path) === 'planned' ? 'soon' : 'pageNotFound'));
    relaunch(PATHS.home);
  }, [path, t]);
  return null;
}

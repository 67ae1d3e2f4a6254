/**
 * The one way to move between pages: navigate, redirect, switchTab, relaunch, back, an interception hook and query
 * parameters. Works outside React too; the app binds the router to it once.
 */
import type { NavigateFunction } from 'react-router';
import { accessOf, isTab, PATHS, type Path, type RouteName, tabOf } from '@/config/paths';

export type Query = Record<string, string | number | undefined>;
export type Method = 'navigate' | 'redirect' | 'switchTab' | 'relaunch';
export interface Target {
  method: Method;
  path: string;
  query: Query;
}

/** Returns another target to go elsewhere, false to stay, or nothing to let it pass. */
export type Interceptor = (target: Target) => Target | false | undefined;

let router: NavigateFunction | null = null;
const interceptors = new Set<Interceptor>();

export function bindRouter(navigate: NavigateFunction | null): void {
  router = navigate;
}

export function intercept(interceptor: Interceptor): () => void {
  interceptors.add(interceptor);
  return () => interceptors.delete(interceptor);
}

export function hrefOf(path: string, query: Query = {}): string {
  const params = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') params.set(key, String(value));
  }
  const text = params.toString();
  return text ? `${path}?${text}` : path;
}

/** The current page inside the hash, without its query. */
export function currentPath(): string {
  return window.location.hash.replace(/^#/, '').split('?')[0] || '/';
}

/** The current page with its query: what a login comes back to. */
export function currentHref(): string {
  return window.location.hash.replace(/^#/, '') || '/';
}

function go(target: Target): void {
  let final = target;
  for (const interceptor of interceptors) {
    const verdict = interceptor(final);
    if (verdict === false) return;
    if (verdict) final = verdict;
  }
  const replace =
    final.method === 'redirect' ||
    final.method === 'relaunch' ||
    // Tabs lie side by side: going from one to another adds no step back.
    (final.method === 'switchTab' && tabOf(currentPath()) !== null);
  void router?.(hrefOf(final.path, final.query), { replace });
}

export function navigateTo(path: string, query: Query = {}): void {
  go({ method: isTab(path) ? 'switchTab' : 'navigate', path, query });
}

export function redirectTo(path: string, query: Query = {}): void {
  go({ method: 'redirect', path, query });
}

/** Whose work is done once there is a session: nobody comes back to them. */
const WAYS_IN: readonly string[] = [PATHS.login, PATHS.register, PATHS.forget];

/** To the login, and from there back to this page. */
export function goToLogin(): void {
  const here = currentPath();
  if (here !== PATHS.login) navigateTo(PATHS.login, WAYS_IN.includes(here) ? {} : { redirect: currentHref() });
}

export function switchTab(path: Path, query: Query = {}): void {
  go({ method: 'switchTab', path, query });
}

/** Goes to a page as if the app had just started there. */
export function relaunch(path: string, query: Query = {}): void {
  go({ method: 'relaunch', path, query });
}

/** One step back; home, or another page, when the app was entered on this one. */
export function back(otherwise: Path = PATHS.home): void {
  const index = (window.history.state as { idx?: number } | null)?.idx ?? 0;
  if (index > 0) void router?.(-1);
  else relaunch(otherwise);
}

/** Follows `/pages/…?a=b` from content or from a `redirect` parameter; anything that is no page of ours is refused. */
export function parseInternal(href: string): { path: string; query: Query } | null {
  const [path = '', search = ''] = href.split('?');
  if (!accessOf(path)) return null;
  return { path, query: Object.fromEntries(new URLSearchParams(search)) };
}

export type { RouteName };

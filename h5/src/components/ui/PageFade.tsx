import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { type Location, useLocation, useNavigationType } from 'react-router';
import { tabOf } from '@/config/paths';
import css from './PageFade.module.css';

const HALF_MS = 100;
const scrollTops = new Map<string, number>();
const reducedMotion = () => window.matchMedia('(prefers-reduced-motion: reduce)').matches;

/**
 * The page fades out and back in on every change of route, about 200 ms in all. Going back finds the page where it was
 * scrolled to; any other way starts at the top, with the focus on the new page.
 */
export function PageFade({ children }: { children: (location: Location) => ReactNode }) {
  const location = useLocation();
  const kind = useNavigationType();
  const [shown, setShown] = useState(location);
  const page = useRef<HTMLElement>(null);
  const first = useRef(true);
  const leaving = location.pathname !== shown.pathname;

  // A changed query is the same page: nothing fades.
  if (!leaving && location !== shown) setShown(location);

  useEffect(() => {
    if (!leaving) return;
    scrollTops.set(shown.key, window.scrollY);
    const timer = setTimeout(() => setShown(location), reducedMotion() ? 0 : HALF_MS);
    return () => clearTimeout(timer);
  }, [leaving, location, shown]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: acts once for each page shown, not when the kind changes.
  useLayoutEffect(() => {
    if (first.current) {
      first.current = false;
      return;
    }
    window.scrollTo(0, kind === 'POP' ? (scrollTops.get(shown.key) ?? 0) : 0);
    page.current?.focus({ preventScroll: true });
  }, [shown.pathname]);

  return (
    <main
      ref={page}
      tabIndex={-1}
      className={css.page}
      data-leaving={leaving || undefined}
      data-tab={tabOf(shown.pathname) ?? undefined}
    >
      {children(shown)}
    </main>
  );
}

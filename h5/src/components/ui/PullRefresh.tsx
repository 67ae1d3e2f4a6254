import { type ReactNode, useEffect, useRef, useState } from 'react';
import css from './PullRefresh.module.css';
import { Spinner } from './Spinner';

const TRIGGER_PX = 64;
const MAX_PX = 96;

/** Pulling the page down at its top asks for fresh data. The gesture is an extra: every error also has a button. */
export function PullRefresh({ onRefresh, children }: { onRefresh(): Promise<unknown>; children: ReactNode }) {
  const ref = useRef<HTMLDivElement>(null);
  const [pulled, setPulled] = useState(0);
  const [busy, setBusy] = useState(false);
  const refresh = useRef(onRefresh);
  refresh.current = onRefresh;

  useEffect(() => {
    const area = ref.current;
    if (!area) return;
    let startY: number | null = null;
    let distance = 0;
    const start = (event: TouchEvent) => {
      startY = window.scrollY <= 0 && event.touches.length === 1 ? (event.touches[0]?.clientY ?? null) : null;
      distance = 0;
    };
    const move = (event: TouchEvent) => {
      if (startY === null) return;
      const way = (event.touches[0]?.clientY ?? startY) - startY;
      distance = way > 0 && window.scrollY <= 0 ? Math.min(MAX_PX, way * 0.5) : 0;
      setPulled(distance);
    };
    const end = () => {
      if (startY !== null && distance >= TRIGGER_PX) {
        setBusy(true);
        void refresh.current().finally(() => setBusy(false));
      }
      startY = null;
      setPulled(0);
    };
    area.addEventListener('touchstart', start, { passive: true });
    area.addEventListener('touchmove', move, { passive: true });
    area.addEventListener('touchend', end);
    area.addEventListener('touchcancel', end);
    return () => {
      area.removeEventListener('touchstart', start);
      area.removeEventListener('touchmove', move);
      area.removeEventListener('touchend', end);
      area.removeEventListener('touchcancel', end);
    };
  }, []);

  const height = busy ? 48 : pulled;
  return (
    <div ref={ref}>
      <div className={css.pull} style={{ height }} data-idle={pulled === 0 || undefined} aria-hidden={!busy}>
        {height > 0 && <Spinner />}
      </div>
      {children}
    </div>
  );
}

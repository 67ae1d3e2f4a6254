/** Click throttle: the first call acts, further ones within the window are dropped. */
import { useCallback, useRef } from 'react';

export const CLICK_THROTTLE_MS = 500;
export const SUBMIT_THROTTLE_MS = 1000;

export function throttle<A extends unknown[]>(action: (...args: A) => void, windowMs = CLICK_THROTTLE_MS) {
  let last = Number.NEGATIVE_INFINITY;
  return (...args: A): void => {
    const now = performance.now();
    if (now - last < windowMs) return;
    last = now;
    action(...args);
  };
}

export function useThrottled<A extends unknown[]>(
  action: ((...args: A) => void) | undefined,
  windowMs = CLICK_THROTTLE_MS,
): (...args: A) => void {
  const last = useRef(Number.NEGATIVE_INFINITY);
  return useCallback(
    (...args: A) => {
      const now = performance.now();
      if (now - last.current < windowMs) return;
      last.current = now;
      action?.(...args);
    },
    [action, windowMs],
  );
}

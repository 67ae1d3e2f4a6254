/** The server's clock, as the connection measures it against this device's. */
import { useEffect, useState } from 'react';
import { marketClient } from './instance';

export const serverNow = (): number => Date.now() + marketClient.connection().serverOffsetMs;

/** It, as often as what it shows may change. */
export function useServerNow(everyMs: number): number {
  const [, setTicks] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTicks((ticks) => ticks + 1), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return serverNow();
}

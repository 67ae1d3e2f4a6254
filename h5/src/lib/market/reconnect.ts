/** When to try the socket again: exponential, capped, half of it random so that a restart does not bring a stampede. */

const BASE_MS = 500;
const CAP_MS = 30_000;

/** Attempts that fail in a row before the polling fallback starts. */
export const ATTEMPTS_BEFORE_POLLING = 3;

/** @param attempt failures so far (0 = first retry); @param random in [0, 1). */
export function backoffMs(attempt: number, random: number): number {
  const ceiling = Math.min(CAP_MS, BASE_MS * 2 ** Math.min(attempt, 16));
  return Math.round(ceiling / 2 + (ceiling / 2) * random);
}

/** The server announced a restart: come back when it asked, spread over as long again (at least half a second). */
export function announcedDelayMs(afterMs: number, random: number): number {
  const after = Math.min(Math.max(afterMs, 0), 60_000);
  return Math.round(after + Math.max(after, BASE_MS) * random);
}

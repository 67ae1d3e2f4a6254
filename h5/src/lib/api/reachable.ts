/**
 * Tells when a server that was away answers again. For what only a reload or another download can mend: everything
 * else comes back with the socket.
 */
import { API_BASE } from './client';

const ASK_EVERY_MS = 2_000;

async function answers(signal: AbortSignal): Promise<boolean> {
  try {
    return (await fetch(`${API_BASE}/getSiteConfig`, { cache: 'no-store', signal })).ok;
  } catch {
    return false;
  }
}

/** True once it is back; false if it was there all the time, or if the caller gave up: waiting would mend nothing. */
export async function serverReturns(signal: AbortSignal): Promise<boolean> {
  if (await answers(signal)) return false;
  while (!signal.aborted) {
    await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS));
    if (!signal.aborted && (await answers(signal))) return true;
  }
  return false;
}

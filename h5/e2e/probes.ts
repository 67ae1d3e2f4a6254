/** What the streaming tests read off a page: the market's own diagnosis, counts of renders, heaps. */
import { setTimeout as wait } from 'node:timers/promises';
import type { CDPSession, Page } from 'playwright-core';
import type { Diagnosis } from '@/lib/market/types';

interface TestWindow {
  __market: { diagnose(): Promise<Diagnosis> };
  __renders: Record<string, number>;
}

export function diagnose(page: Page): Promise<Diagnosis> {
  return page.evaluate(() => (window as unknown as TestWindow).__market.diagnose());
}

/** Prices and sizes as the app keeps them. */
export const numbers = (rows: readonly (readonly [string, string])[]) =>
  rows.map(([price, size]) => [Number(price), Number(size)]);

export function renders(page: Page): Promise<Record<string, number>> {
  return page.evaluate(() => ({ ...(window as unknown as TestWindow).__renders }));
}

/** Counts once nothing renders any more. */
export async function restingRenders(page: Page): Promise<Record<string, number>> {
  let before = await renders(page);
  for (;;) {
    await wait(500);
    const now = await renders(page);
    if (JSON.stringify(now) === JSON.stringify(before)) return now;
    before = now;
  }
}

/** Counts and the page's own clock, read in one moment. */
export function rendersNow(page: Page): Promise<{ counts: Record<string, number>; ms: number }> {
  return page.evaluate(() => ({
    counts: { ...(window as unknown as TestWindow).__renders },
    ms: performance.now(),
  }));
}

export async function heapBytes(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize;
}

export async function throttle(page: Page, rate: number): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate });
  return session;
}

/** Heap of the market worker, which is an isolate of its own: reached through the browser's target list. */
export async function workerHeapBytes(page: Page): Promise<number> {
  const browser = page.context().browser();
  if (!browser) throw new Error('the page has no browser');
  const session = await browser.newBrowserCDPSession();
  try {
    const { targetInfos } = await session.send('Target.getTargets', { filter: [{ type: 'worker' }] });
    const target = targetInfos.find(({ type }) => type === 'worker');
    if (!target) throw new Error('there is no worker');
    const { sessionId } = await session.send('Target.attachToTarget', { targetId: target.targetId, flatten: false });
    const ask = (id: number, method: string) =>
      new Promise<Record<string, unknown>>((resolve) => {
        const listen = (event: { sessionId: string; message: string }) => {
          const answer = JSON.parse(event.message) as { id?: number; result?: Record<string, unknown> };
          if (event.sessionId !== sessionId || answer.id !== id) return;
          session.off('Target.receivedMessageFromTarget', listen);
          resolve(answer.result ?? {});
        };
        session.on('Target.receivedMessageFromTarget', listen);
        void session.send('Target.sendMessageToTarget', { sessionId, message: JSON.stringify({ id, method }) });
      });
    await ask(1, 'HeapProfiler.collectGarbage');
    await ask(2, 'HeapProfiler.collectGarbage');
    const { usedSize } = await ask(3, 'Runtime.getHeapUsage');
    return Number(usedSize);
  } finally {
    await session.detach();
  }
}

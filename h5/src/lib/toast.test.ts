import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { appStore } from './state';
import { toast, toastsAtom } from './toast';

beforeEach(() => {
  vi.useFakeTimers();
  appStore.set(toastsAtom, []);
});
afterEach(() => void vi.useRealTimers());

const shown = () => appStore.get(toastsAtom).map(({ text }) => text);

test('a message goes by itself, and one with numbers to read goes later', () => {
  toast.success('Order sent');
  toast.error('Liquidated', { long: true });
  vi.advanceTimersByTime(3_000);
  expect(shown()).toEqual(['Liquidated']);
  vi.advanceTimersByTime(6_000);
  expect(shown()).toEqual([]);
});

test('three messages are shown, and the same words once', () => {
  for (const text of ['a', 'b', 'c', 'b', 'd']) toast(text);
  expect(shown()).toEqual(['c', 'b', 'd']);
});

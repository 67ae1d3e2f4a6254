import '@testing-library/jest-dom/vitest';
import { cleanup, configure } from '@testing-library/react';
import { afterEach, beforeAll } from 'vitest';
import { LATER, needTexts, setLanguage } from '@/lib/i18n';

// jsdom has neither modal dialogs nor scrolling nor media queries.
if (!HTMLDialogElement.prototype.showModal) {
  HTMLDialogElement.prototype.showModal = function showModal() {
    this.setAttribute('open', '');
  };
  HTMLDialogElement.prototype.close = function close() {
    if (!this.hasAttribute('open')) return;
    this.removeAttribute('open');
    this.dispatchEvent(new Event('close'));
  };
}
window.scrollTo = () => {};
window.matchMedia ??= (query: string) =>
  ({
    // Tests run as a reader who asked for less motion, so that nothing waits for a fade.
    matches: query.includes('prefers-reduced-motion'),
    media: query,
    addEventListener() {},
    removeEventListener() {},
    // The older names, which the chart's library calls.
    addListener() {},
    removeListener() {},
  }) as unknown as MediaQueryList;

// Nothing comes into view by scrolling in jsdom: lists load further pages when their end is observed.
globalThis.IntersectionObserver ??= class {
  readonly #report: IntersectionObserverCallback;
  constructor(report: IntersectionObserverCallback) {
    this.#report = report;
  }
  observe(target: Element) {
    const entry = { isIntersecting: true, target } as IntersectionObserverEntry;
    queueMicrotask(() => this.#report([entry], this as unknown as IntersectionObserver));
  }
  disconnect() {}
  unobserve() {}
  takeRecords() {
    return [];
  }
} as unknown as typeof IntersectionObserver;

// A busy machine is no failure: the limit tells a hang from progress, also where a page is loaded for the first time.
configure({ asyncUtilTimeout: 30_000 });

beforeAll(async () => {
  await setLanguage('en');
  // A component that is tried alone has no page that brings its texts.
  await Promise.all(LATER.map(needTexts));
});
afterEach(cleanup);

/** Proves in which order the panes are read on each width, and that crossing a limit moves them without a new mount. */
import { act, render, screen } from '@testing-library/react';
import { useEffect } from 'react';
import { beforeEach, expect, test, vi } from 'vitest';
import { type Pane, Panes, type Place } from './Panes';

const media = vi.hoisted(() => {
  let width = 390;
  const listeners = new Set<() => void>();
  window.matchMedia = (query) =>
    ({
      get matches() {
        return width >= Number(/min-width: (\d+)px/.exec(query)?.[1]);
      },
      addEventListener: (_: string, listener: () => void) => listeners.add(listener),
      removeEventListener: (_: string, listener: () => void) => listeners.delete(listener),
    }) as unknown as MediaQueryList;
  return {
    resize(to: number) {
      width = to;
      for (const listener of listeners) listener();
    },
    listeners,
  };
});

const NAMES = ['chart', 'ticket', 'book', 'trades', 'orders'] as const;
const mounts: string[] = [];

function Part({ name }: { name: string }) {
  useEffect(() => {
    mounts.push(name);
  }, [name]);
  return <input aria-label={name} />;
}

const pane = (place: Place, title?: string): Pane => ({ place, part: <Part name={place} />, ...(title && { title }) });
const PANES = [pane('orders'), pane('book', 'Order book'), pane('trades', 'Trades'), pane('ticket'), pane('chart')];
const whole = <Panes head={<h1>BTC/USDT</h1>} panes={PANES} />;

const read = () => screen.getAllByRole('textbox').map((input) => input.getAttribute('aria-label'));
const resize = (width: number) => act(() => media.resize(width));

beforeEach(() => {
  media.resize(390);
  mounts.length = 0;
});

test.each([
  [390, ['chart', 'ticket', 'book', 'trades', 'orders']],
  [599, ['chart', 'ticket', 'book', 'trades', 'orders']],
  [600, ['chart', 'ticket', 'book', 'trades', 'orders']],
  [1023, ['chart', 'ticket', 'book', 'trades', 'orders']],
  [1024, ['chart', 'book', 'trades', 'ticket', 'orders']],
  [1440, ['chart', 'book', 'trades', 'ticket', 'orders']],
])('at %d px they are read in the order in which they are seen', (width, order) => {
  media.resize(width);
  render(whole);
  expect(read()).toEqual(order);
});

test('crossing a limit mounts nothing twice and loses nothing that was typed', () => {
  render(whole);
  const ticket = screen.getByLabelText<HTMLInputElement>('ticket');
  ticket.value = '0.25';
  for (const width of [820, 1440, 700, 390]) resize(width);
  expect(mounts).toEqual([...NAMES]);
  expect(screen.getByLabelText('ticket')).toBe(ticket);
  expect(ticket.value).toBe('0.25');
});

test('panes are named where they stand by themselves', () => {
  render(whole);
  const titles = () => screen.queryAllByRole('heading', { level: 2 }).map(({ textContent }) => textContent);
  expect(titles()).toEqual([]);
  resize(820);
  expect(titles()).toEqual(['Order book', 'Trades']);
});

test('a place that is not filled leaves no pane, and nobody listens after the page is gone', () => {
  const panes: Pane[] = [pane('ticket'), { place: 'book', title: 'Order book', part: false }, pane('chart')];
  const { unmount } = render(<Panes head={null} panes={panes} />);
  expect(read()).toEqual(['chart', 'ticket']);
  resize(1440);
  expect(screen.queryByText('Order book')).toBeNull();
  unmount();
  expect(media.listeners.size).toBe(0);
});

import { render, screen, waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { appStore } from '@/lib/state';
import { toastsAtom } from '@/lib/toast';
import { OnDemand, type Opens } from './OnDemand';

const Greeting = ({ open }: Opens) => <p>{open ? 'hello' : 'closed'}</p>;

test('the code is fetched with the first opening, once, and stays for the next', async () => {
  const load = vi.fn(async () => Greeting);
  const { rerender } = render(<OnDemand load={load} open={false} onClose={() => undefined} />);
  expect(load).not.toHaveBeenCalled();
  rerender(<OnDemand load={load} open onClose={() => undefined} />);
  expect(await screen.findByText('hello')).toBeInTheDocument();
  rerender(<OnDemand load={load} open={false} onClose={() => undefined} />);
  expect(screen.getByText('closed')).toBeInTheDocument();
  rerender(<OnDemand load={load} open onClose={() => undefined} />);
  expect(load).toHaveBeenCalledTimes(1);
});

test('code that cannot be had closes the dialog, says so and is asked for again', async () => {
  const load = vi.fn(async () => Greeting);
  load.mockRejectedValueOnce(new Error('offline'));
  const close = vi.fn();
  const { rerender } = render(<OnDemand load={load} open onClose={close} />);
  await waitFor(() => expect(close).toHaveBeenCalledTimes(1));
  expect(appStore.get(toastsAtom).map(({ text }) => text)).toEqual(['No connection to the server']);
  rerender(<OnDemand load={load} open={false} onClose={close} />);
  rerender(<OnDemand load={load} open onClose={close} />);
  expect(await screen.findByText('hello')).toBeInTheDocument();
});

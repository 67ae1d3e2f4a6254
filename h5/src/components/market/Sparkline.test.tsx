import { render } from '@testing-library/react';
import { expect, test } from 'vitest';
import { Sparkline } from './Sparkline';

test.each([
  [[1, 3, 2], 'var(--up)'],
  [[3, 4, 1], 'var(--down)'],
  [[2, 1, 2], 'var(--up)'],
])('the colour of %j is that of where the line went', (values, colour) => {
  const { container } = render(<Sparkline values={values} />);
  const line = container.querySelector('polyline');
  expect(line).toHaveAttribute('stroke', colour);
  const points = (line?.getAttribute('points') ?? '').split(' ').map((point) => Number(point.split(',')[1]));
  // Up is less of the picture's height.
  expect((points.at(-1) ?? 0) <= (points[0] ?? 0)).toBe(colour === 'var(--up)');
});

test('without two prices there is no line', () => {
  const { container } = render(<Sparkline values={[1]} />);
  expect(container.querySelector('polyline')).toBeNull();
});

import { expect, test } from 'vitest';
import { parseFrame } from '../protocol';

const frame = (data: object) => parseFrame(JSON.stringify({ event: 'coupon', seq: 4, data }));

test('a coupon that came, was used or was taken back is told by its number', () => {
  expect(frame({ id: 65_537, status: 1 })).toEqual({
    kind: 'private',
    event: { event: 'coupon', seq: 4, id: 65_537 },
  });
});

test.each([[{}], [{ id: 'x' }]])('%j is none', (data) => expect(frame(data).kind).toBe('invalid'));

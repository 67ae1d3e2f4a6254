import { expect, test } from 'vitest';
import { parseFrame } from '../protocol';

const frame = (data: object, seq?: number) => parseFrame(JSON.stringify({ event: 'mail', seq, data }));

test('a new message is told with a number of the sequence or without one', () => {
  expect(frame({ kind: 'system' }, 4)).toEqual({ kind: 'private', event: { event: 'mail', seq: 4, kind: 'system' } });
  expect(frame({ kind: 'notice' })).toEqual({ kind: 'private', event: { event: 'mail', kind: 'notice' } });
});

test.each([[{}], [{ kind: 1 }]])('%j is none', (data) => expect(frame(data, 4).kind).toBe('invalid'));

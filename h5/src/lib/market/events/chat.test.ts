import { expect, test } from 'vitest';
import { parseFrame } from '../protocol';

const frame = (event: string, data: object, seq?: number) => parseFrame(JSON.stringify({ event, seq, data }));

test.each(['chat', 'chat_read', 'chat_typing'])('%s names its conversation and has no number', (event) => {
  expect(frame(event, { id: 7, side: 'agent', upto: 3 })).toEqual({ kind: 'private', event: { event, id: 7 } });
  expect(frame(event, { id: 7 }, 4).kind).toBe('invalid');
  expect(frame(event, { id: '7' }).kind).toBe('invalid');
});

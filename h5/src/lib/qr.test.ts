import { expect, test } from 'vitest';
import { codeOf } from './qr';

test('a code is dark squares with light around them', () => {
  const { size, path } = codeOf('bcrt1qxy2kgdygjrsqtzq2n0yrf2493p83kkfqe7xna');
  // Version 4: 33 squares a side, and four around.
  expect(size).toBe(33 + 8);
  // The corner's frame begins where the border ends.
  expect(path.startsWith('M4 4h7v1h-7z')).toBe(true);
  expect(path).toMatch(/^(M\d+ \d+h\d+v1h-\d+z)+$/);
});

test('another address is another code', () => {
  expect(codeOf('bcrt1qa').path).not.toBe(codeOf('bcrt1qb').path);
});

import { describe, expect, test } from 'vitest';
import {
  anything,
  decimal,
  either,
  flag,
  isUnknownWord,
  list,
  map,
  nothing,
  number,
  object,
  oneOf,
  sentLength,
  text,
  whole,
} from './shape';

const row = object({ id: whole, price: decimal, side: oneOf('buy', 'sell') }, { note: text });
const STRICT = { strict: true };
const good = { id: 1, price: '0.5', side: 'buy' };

describe('a shape', () => {
  test('lets pass what is like it, fields that it does not name among it', () => {
    expect(row(good)).toBeUndefined();
    expect(row({ ...good, note: 'n' })).toBeUndefined();
    expect(row({ ...good, later: [1] })).toBeUndefined();
  });

  test('tells which field is missing or of another type', () => {
    expect(row({ id: 1, side: 'buy' })).toBe('.price');
    expect(row({ ...good, id: '1' })).toBe('.id');
    expect(row({ ...good, side: 5 })).toBe('.side');
    expect(row({ ...good, note: 7 })).toBe('.note');
    for (const other of [null, undefined, 'text', [good]]) expect(row(other)).toBe('');
  });

  test('of rows tells the first one that differs', () => {
    expect(list(row)([good, good])).toBeUndefined();
    expect(list(row)([])).toBeUndefined();
    expect(list(row)([good, { ...good, price: 0.5 }, {}])).toBe('[1].price');
    expect(object({ rows: list(row) })({ rows: [null] })).toBe('.rows[0]');
    expect(list(row)({ length: 0 })).toBe('');
  });

  test('under a strict look refuses fields that it does not name, wherever they are', () => {
    expect(row({ ...good, note: 'n' }, STRICT)).toBeUndefined();
    expect(row({ ...good, later: 1 }, STRICT)).toBe('.later');
    expect(list(row)([good, { ...good, later: 1 }], STRICT)).toBe('[1].later');
    expect(either(nothing, row)({ ...good, later: 1 }, STRICT)).toBe('.later');
    expect(map(row)({ a: { ...good, later: 1 } }, STRICT)).toBe('.a.later');
  });

  test('marks a word that it does not know, where it knows others', () => {
    expect(row({ ...good, side: 'hold' })).toBe('.side?');
    expect(oneOf(1, 2)(3)).toBe('?');
    expect(oneOf(1, 2)('1')).toBe('');
    expect(list(row)([good, { ...good, side: 'hold' }])).toBe('[1].side?');
    expect(either(oneOf('buy'), nothing)('hold')).toBe('?');
    expect([isUnknownWord('.side?'), isUnknownWord('.side')]).toEqual([true, false]);
  });

  test('leaves out rows with unknown words where that is asked for, and nothing else', () => {
    const leftOut: string[] = [];
    const look = { leftOut: (where: string) => leftOut.push(where) };
    const odd = { ...good, side: 'hold' };
    const rows = [odd, good, odd, { ...good, id: 2 }];
    expect(object({ rows: list(row) })({ rows }, look)).toBeUndefined();
    expect(rows).toEqual([good, { ...good, id: 2 }]);
    expect(leftOut).toEqual(['[0].side?', '[2].side?']);
    expect([sentLength(rows), sentLength([good])]).toEqual([4, 1]);
    expect(list(row)([good, { ...good, price: 1 }], look)).toBe('[1].price');
    expect(row(odd, look)).toBe('.side?');
    expect(leftOut).toHaveLength(2);
  });

  test('of several lists takes the one that fits whole, not the one that is empty without its rows', () => {
    const others = object({ side: oneOf('up', 'down') });
    const look = { leftOut: () => expect.unreachable() };
    const rows = [{ side: 'up' }, { side: 'down' }];
    expect(either(list(row), list(others))(rows, look)).toBeUndefined();
    expect(rows).toHaveLength(2);
  });

  test('of single values knows their kinds', () => {
    const kinds = { text, decimal, whole, number, flag, nothing, anything };
    const passes = (value: unknown) =>
      Object.entries(kinds)
        .filter(([, shape]) => shape(value) === undefined)
        .map(([name]) => name);
    expect(passes('word')).toEqual(['text', 'anything']);
    expect(passes('-12.50')).toEqual(['text', 'decimal', 'anything']);
    for (const odd of ['1e9', '.5', '1.', 'NaN', '', ' 1']) expect(passes(odd)).toEqual(['text', 'anything']);
    expect(passes(3)).toEqual(['whole', 'number', 'anything']);
    expect(passes(3.5)).toEqual(['number', 'anything']);
    expect(passes(Number.NaN)).toEqual(['anything']);
    expect(passes(false)).toEqual(['flag', 'anything']);
    expect(passes(null)).toEqual(['nothing', 'anything']);
    expect(passes(undefined)).toEqual(['anything']);
  });

  test('one of several passes when any does', () => {
    const some = either(text, list(whole), nothing);
    for (const value of ['a', [1], null]) expect(some(value)).toBeUndefined();
    expect(some([1, 'a'])).toBe('');
    expect(map(whole)({ a: 1, b: 'x' })).toBe('.b');
  });
});

import { describe, expect, test } from 'vitest';
import { anything, decimal, either, flag, list, map, nothing, number, object, oneOf, text, whole } from './shape';

const row = object({ id: whole, price: decimal, side: oneOf('buy', 'sell') }, { note: text });
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
    expect(row({ ...good, side: 'hold' })).toBe('.side');
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
    expect(row({ ...good, note: 'n' }, true)).toBeUndefined();
    expect(row({ ...good, later: 1 }, true)).toBe('.later');
    expect(list(row)([good, { ...good, later: 1 }], true)).toBe('[1].later');
    expect(either(nothing, row)({ ...good, later: 1 }, true)).toBe('.later');
    expect(map(row)({ a: { ...good, later: 1 } }, true)).toBe('.a.later');
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

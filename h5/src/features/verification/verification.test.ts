import { describe, expect, test } from 'vitest';
import { areasIn, countriesOf, isSearched, regionOf } from '@/lib/areas';
import type { Verification } from './api/state';
import { isOpen, levelOf } from './levels';
import { type Person, problemsOf, tidyName } from './person';

const STATE: Verification = {
  real_status: 0,
  review_status: 0,
  advanced_review_status: 0,
  reason: '',
  note: '',
  advanced_reason: '',
  advanced_note: '',
  has_email: true,
  has_phone: true,
  limits: [],
  real_data: null,
};

describe('levels', () => {
  test('a level is open until it is handed in, and once more when it failed', () => {
    const opened = ([0, 1, 2, 3] as const).map((review_status) => isOpen({ ...STATE, review_status }, 'basic'));
    expect(opened).toEqual([true, false, false, true]);
  });

  test('the advanced one needs the basic one, both need an e-mail address and a phone', () => {
    expect(isOpen(STATE, 'advanced')).toBe(false);
    expect(isOpen({ ...STATE, review_status: 1 }, 'advanced')).toBe(false);
    expect(isOpen({ ...STATE, review_status: 2 }, 'advanced')).toBe(true);
    expect(isOpen({ ...STATE, review_status: 2, advanced_review_status: 3 }, 'advanced')).toBe(true);
    expect(isOpen({ ...STATE, has_phone: false }, 'basic')).toBe(false);
    expect(isOpen({ ...STATE, review_status: 2, has_email: false }, 'advanced')).toBe(false);
  });

  test('why one failed is of that level', () => {
    const data: Verification = {
      ...STATE,
      review_status: 2,
      advanced_review_status: 3,
      advanced_reason: 'unreadable',
      advanced_note: 'The second one is dark.',
    };
    expect(levelOf(data, 'basic')).toEqual({ state: 'passed', reason: '', note: '' });
    expect(levelOf(data, 'advanced')).toEqual({
      state: 'failed',
      reason: 'unreadable',
      note: 'The second one is dark.',
    });
  });
});

describe('what is entered about a person', () => {
  const person: Person = { region: 'DE', country: '49', kind: 0, name: 'Anna Weber', number: 'L01X00T47' };
  const problem = (patch: Partial<Person>) =>
    Object.values(problemsOf({ ...person, ...patch })).find((name) => name !== undefined);

  test('is complete with a country, a kind, a name and a number', () => {
    expect(problem({})).toBeUndefined();
    expect(problem({ country: null })).toBe('country');
    expect(problem({ kind: null })).toBe('kind');
  });

  test('a name may be of any script, and holds nothing but what names are written with', () => {
    for (const name of ['李 明', 'Anna-Maria O’Neill', "D'Arcy Jr.", 'อรุณ ศรีสุข', 'Nguyễn Văn Á', '阿卜杜拉·买买提']) {
      expect([name, problem({ name })]).toEqual([name, undefined]);
    }
    for (const name of ['A', '  A ', '-.', 'Anna 2', 'Anna <b>', 'x'.repeat(51)]) {
      expect([name, problem({ name })]).toEqual([name, 'name']);
    }
    expect(tidyName('  Anna   Weber ')).toBe('Anna Weber');
  });

  test('a number has 6 to 30 letters and digits; that of a Chinese identity card a check digit besides', () => {
    for (const number of ['12345', 'A B C D E F', 'x'.repeat(31)]) expect(problem({ number })).toBe('number');
    const chinese = { region: 'CN', country: '86' };
    for (const number of ['11010519491231002X', '11010519491231002x']) {
      expect(problem({ ...chinese, number })).toBeUndefined();
    }
    for (const number of ['110105194912310021', 'E12345678']) expect(problem({ ...chinese, number })).toBe('idCard');
    expect(problem({ ...chinese, kind: 1, number: 'E12345678' })).toBeUndefined();
  });
});

describe('countries', () => {
  test('a calling code names all that share it', () => {
    expect(countriesOf('49', 'en')).toBe('Germany');
    expect(countriesOf('1', 'en')).toBe('Canada / United States');
    expect(countriesOf('0', 'en')).toBe('+0');
    expect([regionOf('86'), regionOf('0')]).toEqual(['CN', null]);
  });

  test('they are found by a part of their name or by the beginning of their code', () => {
    const found = (text: string) => areasIn('en').filter((area) => isSearched(area, text));
    expect(found(' germ').map(({ region }) => region)).toEqual(['DE']);
    expect(found('+886').map(({ region }) => region)).toEqual(['TW']);
    expect(found('nowhere')).toEqual([]);
  });
});

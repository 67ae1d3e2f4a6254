import { expect, test } from 'vitest';
import { areaOf, countryText, isFound, readSubject, subjectText } from './regionTexts';

test('a subject is read as the server wrote it', () => {
  expect(readSubject('region:US:contract,options')).toEqual({ country: 'US', products: ['contract', 'options'] });
  expect(readSubject('region:unknown:options')).toEqual({ country: '', products: ['options'] });
  for (const other of ['market:BTCUSDT', 'region:US', 'region:US:', '']) expect(readSubject(other)).toBeUndefined();
  expect(subjectText('region:GB:flash_exchange,follow')).toBe('United Kingdom: Flash exchange, Copy trading');
  expect(subjectText('market:BTCUSDT')).toBe('market:BTCUSDT');
});

test('a country is named with its letters, and one that a verification did not name by its calling code', () => {
  expect([countryText('US'), countryText('')]).toEqual(['United States (US)', 'Country unknown']);
  expect(areaOf('1', 'US')).toBe('United States (US, +1)');
  expect(areaOf('49', null)).toBe('Germany');
});

test('a country is found by its name, its letters and its calling code', () => {
  for (const text of ['', ' ', 'ger', 'de', '+49']) expect(isFound('DE', text)).toBe(true);
  expect(isFound('DE', 'fra')).toBe(false);
  expect([isFound('', 'unknown'), isFound('', ''), isFound('', '49')]).toEqual([true, true, false]);
  // One that this app has no name of.
  expect([isFound('ZZ', ''), isFound('ZZ', 'zz'), isFound('ZZ', 'ger')]).toEqual([true, true, false]);
});

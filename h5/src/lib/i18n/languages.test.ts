import { expect, test } from 'vitest';
import { appLocale, matchLanguage, pickLanguage } from './languages';

test('browser language names map to the ten languages by prefix, traditional Chinese by script or region', () => {
  const cases: Record<string, string | null> = {
    'zh-TW': 'hk',
    'zh-HK': 'hk',
    'zh-Hant-MO': 'hk',
    'zh-CN': 'zh',
    zh: 'zh',
    'ja-JP': 'jp',
    'ko-KR': 'kr',
    kor: 'kr',
    'es-MX': 'spa',
    'fr-CA': 'fra',
    th: 'th',
    'tr-TR': 'tr',
    'vi-VN': 'vi',
    'en-GB': 'en',
    'de-DE': null,
  };
  for (const [name, lang] of Object.entries(cases)) expect([name, matchLanguage(name)]).toEqual([name, lang]);
});

test('the stored choice wins, then the first browser language that exists, then English', () => {
  expect(pickLanguage('th', ['fr'])).toBe('th');
  expect(pickLanguage(null, ['de', 'fr-FR'])).toBe('fra');
  expect(pickLanguage('klingon', ['de'])).toBe('en');
});

test('the app locale has four families and falls back to English', () => {
  expect([appLocale('zh'), appLocale('hk'), appLocale('fra'), appLocale('spa'), appLocale('kr')]).toEqual([
    'zh-Hans',
    'zh-Hant',
    'fr',
    'es',
    'en',
  ]);
});

import { expect, test } from 'vitest';
import { type EarlyFiles, earlyFiles } from '../early';

const FILES: EarlyFiles = {
  languages: { en: ['en.js'], th: ['th.js'] },
  pages: { '/pages/index/index': ['home.js', 'home.css'], '/pages/market/market': ['market.js'] },
  home: '/pages/index/index',
};

test('the texts and the page of a visit are known before the app runs', () => {
  expect(earlyFiles(FILES, '', null, ['en-GB'])).toEqual(['en.js', 'home.js', 'home.css']);
  expect(earlyFiles(FILES, '#/', null, ['de'])).toEqual(['en.js', 'home.js', 'home.css']);
  expect(earlyFiles(FILES, '#/pages/market/market?tab=spot', '{"language":"th"}', ['en'])).toEqual([
    'th.js',
    'market.js',
  ]);
});

test('what is unknown or damaged is left to the app', () => {
  expect(earlyFiles(FILES, '#/pages/none', 'not json', ['th'])).toEqual(['th.js']);
  expect(earlyFiles(FILES, '#/pages/none', '{"language":"fr"}', [])).toEqual([]);
});

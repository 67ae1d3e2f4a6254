/** What the shipped demo lists, and what the app has for it. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CATEGORIES, MARKET_TABS, VENUES } from '@/features/market/lists';

const read = (path: string) => readFileSync(path, 'utf8');

/** The values of a key in the entries of a list of `config/markets.toml`. */
function values(list: 'asset' | 'market', key: string): string[] {
  const entries = read('../config/markets.toml').split(/^(?=\[)/m);
  return entries
    .filter((entry) => entry.startsWith(`[[${list}]]`))
    .map((entry) => new RegExp(`^${key} = (.*)$`, 'm').exec(entry)?.[1] ?? '');
}

const names = values('asset', 'name').map((name) => name.replaceAll('"', ''));

test('every asset has a picture of its own', () => {
  const pictures = names.map((name) => read(`public/coins/${name.toLowerCase()}.svg`));
  pictures.forEach((picture, index) => {
    expect(picture).toContain(`<title>${names[index]}</title>`);
  });
  const drawings = pictures.map((picture) => picture.replace(/<title>.*<\/title>/, ''));
  expect(new Set(drawings).size).toBe(names.length);
});

test('every category and every list by a tag has at least three markets, and no market a tag without a list', () => {
  const tags = values('market', 'tags').map((list) => JSON.parse(list) as string[]);
  expect(tags.length).toBeGreaterThanOrEqual(24);
  const tagged = [...CATEGORIES.filter((category) => category !== 'all'), 'main', 'hot', 'new', ...VENUES] as const;
  for (const tag of tagged) expect(tags.filter((list) => list.includes(tag)).length, tag).toBeGreaterThanOrEqual(3);
  expect(
    tags.flat().filter((tag) => ![...CATEGORIES, ...MARKET_TABS, ...VENUES].some((known) => known === tag)),
  ).toEqual([]);
});

/** Proves that every language has every text: no key less, none more, the same placeholders, nothing left in English. */
import { describe, expect, test } from 'vitest';
import { LANGUAGES } from '@/lib/i18n';

type Texts = Record<string, unknown>;

const files = import.meta.glob<Texts>('./*/*.json', { eager: true, import: 'default' });

function flatten(texts: Texts, prefix = ''): [string, string][] {
  return Object.entries(texts).flatMap(([key, value]) =>
    typeof value === 'string'
      ? [[prefix + key, value] as [string, string]]
      : flatten(value as Texts, `${prefix}${key}.`),
  );
}

function textsOf(language: string): Map<string, string> {
  const out = new Map<string, string>();
  for (const [file, texts] of Object.entries(files)) {
    const match = new RegExp(`^\\./${language}/([\\w-]+)\\.json$`).exec(file);
    if (match) for (const [key, text] of flatten(texts, `${match[1]}:`)) out.set(key, text);
  }
  return out;
}

const placeholders = (text: string): string[] =>
  Array.from(text.matchAll(/\{\{\s*(\w+)\s*\}\}/g), (match) => match[1] ?? '').sort();

/** Short words may be the same in two languages; a sentence of four words or more is a forgotten translation. */
const isSentence = (text: string): boolean => text.split(/\s+/).length >= 4 && /[a-z]{3}/.test(text);

const english = textsOf('en');

test('there are texts, and none of them is empty', () => {
  expect(english.size).toBeGreaterThan(200);
  for (const language of LANGUAGES) {
    const empty = [...textsOf(language)].filter(([, text]) => text.trim() === '').map(([key]) => key);
    expect([language, empty]).toEqual([language, []]);
  }
});

describe.each(LANGUAGES.filter((language) => language !== 'en'))('%s', (language) => {
  const texts = textsOf(language);

  test('has exactly the keys of English', () => {
    expect([...english.keys()].filter((key) => !texts.has(key))).toEqual([]);
    expect([...texts.keys()].filter((key) => !english.has(key))).toEqual([]);
  });

  test('has the placeholders of English in every text', () => {
    const wrong = [...texts].filter(([key, text]) => {
      const original = english.get(key);
      return original !== undefined && placeholders(text).join() !== placeholders(original).join();
    });
    expect(wrong).toEqual([]);
  });

  test('has no sentence left in English', () => {
    const copies = [...texts].filter(([key, text]) => isSentence(text) && text === english.get(key));
    expect(copies).toEqual([]);
  });
});

/** Proves the import layers where the linter sees only names: shared <- trading <- features <- app, features never each other. */
import { expect, test } from 'vitest';

const sources = import.meta.glob<string>('../**/*.{ts,tsx}', { eager: true, query: '?raw', import: 'default' });

/** `../lib/x.ts`, as seen from this folder -> `lib/x.ts`. */
const inSrc = (file: string): string => file.replace(/^\.\.\//, '').replace(/^\.\//, 'testing/');

function importsOf(file: string, text: string): string[] {
  return Array.from(text.matchAll(/(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g), (match) => match[1] ?? '')
    .map((name) => {
      if (name.startsWith('@/')) return name.slice(2);
      if (!name.startsWith('.')) return '';
      return new URL(name, `https://src/${file}`).pathname.slice(1);
    })
    .filter(Boolean);
}

const layerOf = (path: string): string => path.split('/')[0] ?? '';
const featureOf = (path: string): string => path.split('/').slice(0, 2).join('/');

function forbidden(file: string, imported: string): boolean {
  const to = layerOf(imported);
  switch (layerOf(file)) {
    case 'lib':
    case 'components':
    case 'config':
      return to === 'trading' || to === 'features' || to === 'app';
    case 'trading':
      return to === 'features' || to === 'app';
    case 'features':
      // The kit has one door.
      if (to === 'trading') return imported !== 'trading';
      return to === 'app' || (to === 'features' && featureOf(imported) !== featureOf(file));
    default:
      return false;
  }
}

test('the state library is used through the home of client state alone', () => {
  const users = Object.entries(sources).filter(([, text]) => /from 'jotai/.test(text));
  expect(users.map(([name]) => inSrc(name))).toEqual(['lib/state/store.ts']);
});

test('numbers are written in one place', () => {
  // lib/format and the console's format stand on these; the fakes and the tests speak as servers do.
  const places = ['lib/decimal.ts', 'lib/decimalText.ts', 'lib/numberFormat.ts'];
  const own = Object.entries(sources)
    .map(([name, text]) => ({ file: inSrc(name), text }))
    .filter(({ file }) => !file.startsWith('testing/') && !/\.test\.tsx?$/.test(file))
    .filter(({ text }) => /\.toFixed\(|\.toLocaleString\(|new Intl\.NumberFormat|Intl\.NumberFormat\(/.test(text));
  expect(own.map(({ file }) => file).sort()).toEqual(places);
});

test('no file reaches into a layer above it or into another feature', () => {
  const bad: string[] = [];
  for (const [name, text] of Object.entries(sources)) {
    const file = inSrc(name);
    if (/\.test\.tsx?$/.test(file)) continue;
    for (const imported of importsOf(file, text)) if (forbidden(file, imported)) bad.push(`${file} -> ${imported}`);
  }
  expect(Object.keys(sources).length).toBeGreaterThan(50);
  expect(bad).toEqual([]);
});

test('calls of the server are asked in lib/api and in the api folders of features alone', () => {
  const asks = /\b(?:call|command|fetchMessage|usePaged|useMoneyRequest|sendMoney)\b/;
  const askers = Object.entries(sources).flatMap(([name, text]) => {
    const file = inSrc(name);
    if (/^(?:lib\/|ops\/|admin\/|testing\/|features\/\w+\/api\/)|\.test\.tsx?$/.test(file)) return [];
    const imports = text.matchAll(/import (type )?\{([^}]*)\} from '@\/lib\/api\/([\w/]+)'/g);
    const bad = Array.from(imports).some(([, type, names = '', module = '']) => {
      const values = names.split(',').filter((part) => !type && part.trim() !== '' && !/^\s*type\s/.test(part));
      return module.startsWith('schema/') ? values.length > 0 : values.some((part) => asks.test(part));
    });
    return bad || /\bfetch\(/.test(text) ? [file] : [];
  });
  expect(askers).toEqual([]);
});

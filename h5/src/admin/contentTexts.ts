/** Names of what articles are, and of languages. */
import type { Tone } from './Parts';

export const CATEGORIES: [value: number, name: string][] = [
  [4, 'News'],
  [5, 'Banner'],
  [32, 'Popup'],
  [18, 'FAQ'],
  [19, 'About'],
  [33, 'Contact'],
  [34, 'Compliance'],
];

export const categoryOf = (category: number): string =>
  CATEGORIES.find(([value]) => value === category)?.[1] ?? String(category);

export const LANGUAGES: [name: string, title: string][] = [
  ['en', 'English'],
  ['zh', '简体中文'],
  ['hk', '繁體中文'],
  ['jp', '日本語'],
  ['kr', '한국어'],
  ['spa', 'Español'],
  ['fra', 'Français'],
  ['th', 'ไทย'],
  ['tr', 'Türkçe'],
  ['vi', 'Tiếng Việt'],
];

export const languageName = (name: string): string => LANGUAGES.find(([one]) => one === name)?.[1] ?? name;

export const TONES: Record<string, Tone> = {
  draft: 'plain',
  review: 'warn',
  scheduled: 'good',
  published: 'good',
  replaced: 'plain',
  refused: 'bad',
  withdrawn: 'bad',
};

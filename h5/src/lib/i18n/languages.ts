/** The ten languages of the product and how browsers, documents and Intl name them. */

export const LANGUAGES = ['en', 'zh', 'hk', 'jp', 'kr', 'spa', 'fra', 'th', 'tr', 'vi'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Own names: a reader finds the own language in it whatever the current one is. */
export const LANGUAGE_NAMES: Record<Language, string> = {
  en: 'English',
  zh: '简体中文',
  hk: '繁體中文',
  jp: '日本語',
  kr: '한국어',
  spa: 'Español',
  fra: 'Français',
  th: 'ไทย',
  tr: 'Türkçe',
  vi: 'Tiếng Việt',
};

/** BCP 47 tags for `<html lang>` and Intl. */
export const LANGUAGE_TAGS: Record<Language, string> = {
  en: 'en-US',
  zh: 'zh-CN',
  hk: 'zh-HK',
  jp: 'ja-JP',
  kr: 'ko-KR',
  spa: 'es-ES',
  fra: 'fr-FR',
  th: 'th-TH',
  tr: 'tr-TR',
  vi: 'vi-VN',
};

/** The app's locale: four families, anything else is English. */
export function appLocale(lang: Language): 'zh-Hans' | 'zh-Hant' | 'fr' | 'es' | 'en' {
  switch (lang) {
    case 'zh':
      return 'zh-Hans';
    case 'hk':
      return 'zh-Hant';
    case 'fra':
      return 'fr';
    case 'spa':
      return 'es';
    default:
      return 'en';
  }
}

const PREFIXES: Record<string, Language> = {
  en: 'en',
  zh: 'zh',
  ja: 'jp',
  jp: 'jp',
  ko: 'kr',
  kor: 'kr',
  kr: 'kr',
  es: 'spa',
  spa: 'spa',
  fr: 'fra',
  fra: 'fra',
  th: 'th',
  tr: 'tr',
  vi: 'vi',
  hk: 'hk',
};

/** A browser's or a stored language name -> one of ours, or null. */
export function matchLanguage(name: string): Language | null {
  const lower = name.trim().toLowerCase().replaceAll('_', '-');
  if (/^zh-(hant|tw|hk|mo)/.test(lower)) return 'hk';
  return PREFIXES[lower.split('-')[0] ?? ''] ?? null;
}

/** The stored choice, else the first browser language that we have, else English. */
export function pickLanguage(stored: string | null, browser: readonly string[]): Language {
  const chosen = stored ? matchLanguage(stored) : null;
  if (chosen) return chosen;
  for (const name of browser) {
    const match = matchLanguage(name);
    if (match) return match;
  }
  return 'en';
}

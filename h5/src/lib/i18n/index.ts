/**
 * Owns the texts: one lazy chunk a language, one namespace a file of `locales/<lang>/`.
 * `useTranslation('market')` reads `market.json`; keys are typed from English.
 * There is no fallback language at run time: a test proves that all ten are complete.
 */
import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';
import { appStore, atom, useAtomValue } from '../state';
import { LANGUAGE_TAGS, type Language } from './languages';

/** Texts by the names of their files. */
type Bundle = { default: Record<string, Record<string, unknown>> };

const loaders: Record<Language, () => Promise<Bundle>> = {
  en: () => import('@/locales/en'),
  zh: () => import('@/locales/zh'),
  hk: () => import('@/locales/hk'),
  jp: () => import('@/locales/jp'),
  kr: () => import('@/locales/kr'),
  spa: () => import('@/locales/spa'),
  fra: () => import('@/locales/fra'),
  th: () => import('@/locales/th'),
  tr: () => import('@/locales/tr'),
  vi: () => import('@/locales/vi'),
};

const loaded = new Set<Language>();

/** The language that the app speaks now; only setLanguage writes it. */
const languageAtom = atom<Language>('en');

/** Loads a language's texts if need be and switches the whole app to it. */
export async function setLanguage(lang: Language): Promise<void> {
  if (!i18next.isInitialized) {
    await i18next.use(initReactI18next).init({
      lng: lang,
      resources: {},
      partialBundledLanguages: true,
      fallbackLng: false,
      defaultNS: 'common',
      interpolation: { escapeValue: false },
      react: { useSuspense: false },
    });
  }
  if (!loaded.has(lang)) {
    const bundle = await loaders[lang]();
    for (const [file, texts] of Object.entries(bundle.default)) {
      const namespace = file.replace(/^.*\/|\.json$/g, '');
      i18next.addResourceBundle(lang, namespace, texts, true, true);
    }
    loaded.add(lang);
  }
  // First, because the switch of the texts renders dates and numbers as well.
  appStore.set(languageAtom, lang);
  await i18next.changeLanguage(lang);
  document.documentElement.lang = LANGUAGE_TAGS[lang];
}

/** The current language: what calls send as `lang` and Intl formats by. */
export function currentLanguage(): Language {
  return appStore.get(languageAtom);
}

export const useLanguage = (): Language => useAtomValue(languageAtom);

export * from './languages';
export { i18next };

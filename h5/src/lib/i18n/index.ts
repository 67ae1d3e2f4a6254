/**
 * Owns the texts: one lazy chunk a language, one namespace a file of `locales/<lang>/`; namespaces of few pages have chunks of their
 * own, which come with these pages.
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

/** Namespaces that are not in their language's chunk, by the paths of their files. */
const later = import.meta.glob<Record<string, unknown>>(
  '/src/locales/*/{convert,coupon,protection,reserves,verification}.json',
  {
    import: 'default',
  },
);

export const LATER = ['convert', 'coupon', 'protection', 'reserves', 'verification'] as const;

const loaded = new Set<Language>();
/** Those of them that some page has asked for. */
const needed = new Set<string>();

async function addTexts(lang: Language, namespace: string): Promise<void> {
  if (i18next.hasResourceBundle(lang, namespace)) return;
  const load = later[`/src/locales/${lang}/${namespace}.json`];
  if (!load) throw new Error(`${lang} has no texts of ${namespace}`);
  i18next.addResourceBundle(lang, namespace, await load(), true, true);
}

/** All that pages have asked for, also while this goes on. */
async function addNeeded(lang: Language): Promise<void> {
  for (let count = -1; count !== needed.size; ) {
    count = needed.size;
    await Promise.all([...needed].map((namespace) => addTexts(lang, namespace)));
  }
}

/** What a page needs besides the language's chunk, now and in whatever language the app speaks later. */
export async function needTexts(namespace: (typeof LATER)[number]): Promise<void> {
  needed.add(namespace);
  // At the start pages come beside the language, which brings what they need.
  if (!i18next.isInitialized || !loaded.has(currentLanguage())) return;
  await addTexts(currentLanguage(), namespace);
}

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
  await addNeeded(lang);
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

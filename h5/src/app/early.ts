/**
 * A script of its own, a few hundred bytes, that runs while the app's entry is still on its way: it asks for the texts
 * and the page that this visit will show, so that they come beside the entry and not after it. Only a hint: whatever it
 * does not know or gets wrong is loaded when it is needed.
 */
import { pickLanguage } from '../lib/i18n/languages';
import { numberFormat } from '../lib/numberFormat';

/** Files of the build, by language and by path; `scripts/startPlugins.ts` fills them in. */
export interface EarlyFiles {
  languages: Record<string, readonly string[]>;
  pages: Record<string, readonly string[]>;
  home: string;
}

export function earlyFiles(files: EarlyFiles, hash: string, kept: string | null, browser: readonly string[]): string[] {
  const path = /^#([^?]*)/.exec(hash)?.[1] ?? '';
  let language: string | null = null;
  try {
    language = (JSON.parse(kept ?? '{}') as { language?: string | null }).language ?? null;
  } catch {
    // Damaged storage: the app itself falls back to the browser's language too.
  }
  const page = files.pages[path] ?? (path === '' || path === '/' ? files.pages[files.home] : undefined);
  return [...(files.languages[pickLanguage(language, browser)] ?? []), ...(page ?? [])];
}

declare const __EARLY_FILES__: EarlyFiles;

if (typeof __EARLY_FILES__ !== 'undefined') {
  let kept: string | null = null;
  try {
    kept = localStorage.getItem('h5');
  } catch {
    // A browser may refuse storage.
  }
  for (const file of earlyFiles(__EARLY_FILES__, location.hash, kept, navigator.languages)) {
    const link = document.createElement('link');
    const style = file.endsWith('.css');
    link.rel = style ? 'preload' : 'modulepreload';
    if (style) link.as = 'style';
    link.crossOrigin = '';
    link.href = file;
    document.head.append(link);
  }
  // The first number that a browser writes costs it tens of milliseconds. Now it only waits for the network.
  setTimeout(() => numberFormat(navigator.language, 0).format(0));
}

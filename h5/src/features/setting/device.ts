/** Browsers and systems, by what clients call themselves; those that call themselves like others come first. */
const BROWSERS: readonly (readonly [mark: string, name: string])[] = [
  ['Edg', 'Edge'],
  ['OPR/', 'Opera'],
  ['SamsungBrowser/', 'Samsung Internet'],
  ['Firefox/', 'Firefox'],
  ['FxiOS/', 'Firefox'],
  ['CriOS/', 'Chrome'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
];
const SYSTEMS: readonly (readonly [mark: string, name: string])[] = [
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['CrOS', 'ChromeOS'],
  ['Linux', 'Linux'],
];
/** Letters of what is no browser that we know. */
const MOST = 40;

/** Browser and system; otherwise what the client calls itself, shortened. */
export function deviceOf(agent: string): string {
  const named = [BROWSERS, SYSTEMS].map((list) => list.find(([mark]) => agent.includes(mark))?.[1]);
  return named[0] ? named.filter(Boolean).join(' · ') : agent.slice(0, MOST);
}

/** File names of one language's folder -> i18next namespaces, so that a language is one lazy chunk. */
export function namespacesOf(files: Record<string, Record<string, unknown>>): Record<string, Record<string, unknown>> {
  const out: Record<string, Record<string, unknown>> = {};
  for (const [file, texts] of Object.entries(files)) {
    const name = /([\w-]+)\.json$/.exec(file)?.[1];
    if (name) out[name] = texts;
  }
  return out;
}

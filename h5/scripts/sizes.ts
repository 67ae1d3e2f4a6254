/** The size gates of the built app, in kB after gzip. Fails when one is passed; run after `npm run build`. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

interface Chunk {
  file: string;
  src?: string;
  isEntry?: boolean;
  imports?: string[];
  dynamicImports?: string[];
  css?: string[];
}

/** Features whose pages have a chart and a ticket. */
const TRADED: readonly string[] = ['trade', 'contract', 'seconds'];
const GATES = { initialJs: 140, initialCss: 15, tradeRoute: 75, route: 20, language: 25 } as const;

const dist = fileURLToPath(new URL('../dist/', import.meta.url));
const manifest = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8')) as Record<string, Chunk>;
const sizes = new Map<string, number>();

function kilobytes(file: string): number {
  let size = sizes.get(file);
  if (size === undefined) {
    size = gzipSync(readFileSync(join(dist, file)), { level: 9 }).length / 1000;
    sizes.set(file, size);
  }
  return size;
}

/** A chunk and all that it imports at once; with `lazy` also what it loads later. Chunks in `known` lead nowhere. */
function closure(key: string, lazy = false, known = new Set<string>(), seen = new Set<string>()): Set<string> {
  const chunk = manifest[key];
  if (!chunk || seen.has(key) || known.has(key)) return seen;
  seen.add(key);
  for (const next of [...(chunk.imports ?? []), ...(lazy ? (chunk.dynamicImports ?? []) : [])]) {
    closure(next, lazy, known, seen);
  }
  return seen;
}

const filesOf = (keys: Iterable<string>): Set<string> =>
  new Set(
    Array.from(keys, (key) => manifest[key]?.file).filter((file): file is string => file?.endsWith('.js') ?? false),
  );
const stylesOf = (keys: Iterable<string>): Set<string> =>
  new Set(Array.from(keys).flatMap((key) => manifest[key]?.css ?? []));
const sum = (files: Iterable<string>): number => Array.from(files).reduce((total, file) => total + kilobytes(file), 0);

const entry = Object.keys(manifest).find((key) => manifest[key]?.isEntry);
if (!entry) throw new Error('the build has no entry');
const initial = closure(entry);
const initialFiles = filesOf(initial);
const failures: string[] = [];

function report(name: string, size: number, gate: number): void {
  const passed = size <= gate;
  console.log(`${passed ? 'ok  ' : 'FAIL'} ${size.toFixed(1).padStart(6)} / ${String(gate).padStart(3)} kB  ${name}`);
  if (!passed) failures.push(name);
}

report('initial JS', sum(initialFiles), GATES.initialJs);
report('initial CSS', sum(stylesOf(initial)), GATES.initialCss);

for (const [key, chunk] of Object.entries(manifest)) {
  const page = /^src\/features\/([\w-]+)\/(\w+Page)\.tsx$/.exec(key);
  if (page) {
    const gate = TRADED.includes(page[1] ?? '') ? GATES.tradeRoute : GATES.route;
    const opened = filesOf(closure(key, false, initial));
    report(`route ${page[2]}`, sum(opened), gate);
    // What a page loads only when somebody asks for it, the chart above all.
    const later = Array.from(filesOf(closure(key, true, initial))).filter((file) => !opened.has(file));
    if (later.length > 0) report(`route ${page[2]}, opened later`, sum(later), gate);
  }
  const language = /^src\/locales\/(\w+)\/index\.ts$/.exec(key);
  if (language) report(`language ${language[1]}`, kilobytes(chunk.file), GATES.language);
}

// The operators' console and the back office are builds of their own: none of them reaches a user.
const OTHERS = [
  { name: 'the console', folder: '../dist-ops/', source: 'src/ops/', mark: 'meridian-operations' },
  { name: 'the back office', folder: '../dist-admin/', source: 'src/admin/', mark: 'meridian-back-office' },
] as const;
const scripts = (folder: string) =>
  readdirSync(join(folder, 'assets'))
    .filter((file) => file.endsWith('.js'))
    .map((file) => join(folder, 'assets', file));
for (const { name, folder, source, mark } of OTHERS) {
  const marked = (files: string[]) => files.filter((file) => readFileSync(file, 'utf8').includes(mark));
  const built = fileURLToPath(new URL(folder, import.meta.url));
  if (marked(scripts(built)).length === 0) failures.push(`${name}'s build without its mark`);
  const leaked = [...marked(scripts(dist)), ...Object.keys(manifest).filter((key) => key.includes(source))];
  console.log(`${leaked.length === 0 ? 'ok  ' : 'FAIL'} ${name} is in no chunk of the users`);
  failures.push(...leaked.map((file) => `${name} in ${file}`));
}

if (failures.length > 0) {
  console.error(`\n${failures.length} size gate(s) passed: ${failures.join(', ')}`);
  process.exitCode = 1;
}

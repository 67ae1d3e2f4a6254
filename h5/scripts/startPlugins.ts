/** What makes a build start fast: hints of what the first page needs, and files that are compressed once for all. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build, type Plugin, type Rolldown } from 'vite';
import type { EarlyFiles } from '../src/app/early';
import { PATHS } from '../src/config/paths.ts';
import { LANGUAGES } from '../src/lib/i18n/languages.ts';

type Bundle = Rolldown.OutputBundle;
type Chunk = Rolldown.OutputChunk;

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Smaller files do not fit into fewer packets for being compressed. */
const COMPRESS_FROM_BYTES = 1_000;
const COMPRESSED = /\.(?:js|css|html|svg|webmanifest)$/;

/** The files that a chunk needs and that the document does not load anyway. */
function filesOf(bundle: Bundle, chunk: Chunk, known: ReadonlySet<string>): string[] {
  const files = new Set<string>();
  const visit = (name: string) => {
    const next = bundle[name];
    if (next?.type !== 'chunk' || known.has(name) || files.has(name)) return;
    files.add(name);
    for (const style of next.viteMetadata?.importedCss ?? []) if (!known.has(style)) files.add(style);
    next.imports.forEach(visit);
  };
  visit(chunk.fileName);
  return [...files];
}

function tableOf(bundle: Bundle, base: string): EarlyFiles {
  const chunks = Object.values(bundle).filter((output) => output.type === 'chunk');
  const entry = chunks.find(({ isEntry }) => isEntry);
  if (!entry) throw new Error('the build has no entry');
  const initial = new Set(filesOf(bundle, entry, new Set()));
  const filesFor = (module: string): string[] | undefined => {
    const chunk = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(module));
    return chunk && filesOf(bundle, chunk, initial).map((file) => base + file);
  };
  const pages: EarlyFiles['pages'] = {};
  for (const [route, path] of Object.entries(PATHS)) {
    // A page's file is named after its route.
    const files = filesFor(`/${route.charAt(0).toUpperCase()}${route.slice(1)}Page.tsx`);
    if (files) pages[path] = files;
  }
  const languages: EarlyFiles['languages'] = {};
  for (const language of LANGUAGES) {
    const files = filesFor(`/locales/${language}/index.ts`);
    if (!files) throw new Error(`the build has no chunk of the language ${language}`);
    languages[language] = files;
  }
  if (!pages[PATHS.home]) throw new Error('the build has no chunk of the home page');
  return { languages, pages, home: PATHS.home };
}

/** `src/app/early.ts` with its table, as a plain script: the page's policy forbids inline ones. */
async function earlyScript(files: EarlyFiles): Promise<string> {
  const built = await build({
    configFile: false,
    root: ROOT,
    publicDir: false,
    logLevel: 'error',
    define: { __EARLY_FILES__: JSON.stringify(files) },
    build: {
      write: false,
      target: 'es2022',
      lib: { entry: join(ROOT, 'src/app/early.ts'), formats: ['iife'], name: 'early' },
    },
  });
  const [result] = Array.isArray(built) ? built : [built];
  if (!result || !('output' in result)) throw new Error('the early script was not built');
  return result.output[0].code;
}

export function earlyHints(): Plugin {
  let base = '/';
  return {
    name: 'early-hints',
    apply: 'build',
    enforce: 'post',
    configResolved(config) {
      base = config.base;
    },
    async generateBundle(_options, bundle) {
      const page = bundle['index.html'];
      if (page?.type !== 'asset') return;
      const source = await earlyScript(tableOf(bundle, base));
      const script = this.emitFile({ type: 'asset', name: 'early.js', source });
      const tag = `<script async fetchpriority="high" src="${base}${this.getFileName(script)}"></script>`;
      page.source = String(page.source).replace('<script', `${tag}\n    <script`);
    },
  };
}

/** A Brotli and a gzip twin beside each text file, at their best levels: too slow to be done for each visitor. */
export function compressedTwins(): Plugin {
  let folder = '';
  return {
    name: 'compressed-twins',
    // The tests' own build is read once and thrown away.
    apply: (_config, { command, mode }) => command === 'build' && mode !== 'e2e',
    enforce: 'post',
    configResolved(config) {
      folder = resolve(config.root, config.build.outDir);
    },
    closeBundle: {
      // After the offline shell has been written.
      order: 'post',
      sequential: true,
      handler() {
        for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
          if (!COMPRESSED.test(file)) continue;
          const path = join(folder, file);
          const content = readFileSync(path);
          if (content.length < COMPRESS_FROM_BYTES) continue;
          const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
          writeFileSync(`${path}.br`, brotliCompressSync(content, { params }));
          writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
        }
      },
    },
  };
}

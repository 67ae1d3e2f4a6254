/**
 * Lighthouse on the home page that the real exchange serves: mobile, five runs, the median of each figure against its
 * gate. EXCHANGE_BIN names the binary, RUNS the number of runs. Needs `npm run build` first; fails below a gate.
 */
import { fileURLToPath } from 'node:url';
import lighthouse from 'lighthouse';
import { launchChromium, WHOLE } from '../e2e/chromium.ts';
import { RealServer, WHOLE_DEMO } from '../e2e/realServer.ts';

const DIST = fileURLToPath(new URL('../dist', import.meta.url));
const RUNS = Number(process.env.RUNS ?? 5);
const CATEGORIES = ['performance', 'accessibility', 'best-practices'] as const;
const GATES = { performance: 90, accessibility: 100, 'best-practices': 100, cls: 0.05 } as const;
const SHOWN = {
  fcp: 'first-contentful-paint',
  lcp: 'largest-contentful-paint',
  tbt: 'total-blocking-time',
  speed: 'speed-index',
} as const;

type Figures = Record<string, number>;

const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? Number.NaN;

async function measure(url: string, port: number): Promise<{ figures: Figures; faults: string[] }> {
  const result = await lighthouse(url, { port, output: 'json', logLevel: 'error', onlyCategories: [...CATEGORIES] });
  if (!result) throw new Error('Lighthouse gave no result');
  const { categories, audits, runtimeError } = result.lhr;
  if (runtimeError) throw new Error(runtimeError.message);
  const figures: Figures = {};
  for (const name of CATEGORIES) figures[name] = Math.round((categories[name]?.score ?? 0) * 100);
  figures.cls = audits['cumulative-layout-shift']?.numericValue ?? Number.NaN;
  for (const [name, audit] of Object.entries(SHOWN)) figures[name] = Math.round(audits[audit]?.numericValue ?? 0);
  // What costs points where the gate is full marks.
  const faults = CATEGORIES.slice(1).flatMap((name) =>
    (categories[name]?.auditRefs ?? [])
      .filter(({ id, weight }) => weight > 0 && (audits[id]?.score ?? 1) < 1)
      .map(({ id }) => `${name}: ${audits[id]?.title}`),
  );
  return { figures, faults };
}

async function freshBrowser<T>(use: (port: number) => Promise<T>): Promise<T> {
  const port = 9_300 + Math.floor(Math.random() * 600);
  const browser = await launchChromium([`--remote-debugging-port=${port}`], WHOLE);
  try {
    return await use(port);
  } finally {
    await browser.close();
  }
}

const server = await RealServer.start(DIST, WHOLE_DEMO);
const runs: Figures[] = [];
const faults = new Set<string>();
try {
  for (let run = 1; run <= RUNS; run += 1) {
    const measured = await freshBrowser((port) => measure(`${server.url}/h5/`, port));
    runs.push(measured.figures);
    for (const fault of measured.faults) faults.add(fault);
    console.log(`run ${run}: ${JSON.stringify(measured.figures)}`);
  }
} finally {
  await server.stop();
}

let failed = false;
for (const name of Object.keys(runs[0] ?? {})) {
  const middle = median(runs.map((figures) => figures[name] ?? Number.NaN));
  const gate = GATES[name as keyof typeof GATES] as number | undefined;
  const passed = gate === undefined || (name === 'cls' ? middle <= gate : middle >= gate);
  if (!passed) failed = true;
  const text = name === 'cls' ? middle.toFixed(4) : String(middle);
  console.log(
    `${gate === undefined ? '    ' : passed ? 'ok  ' : 'FAIL'} ${name.padEnd(15)} median ${text}${gate === undefined ? '' : ` (gate ${gate})`}`,
  );
}
for (const fault of faults) console.log(`     ${fault}`);
process.exitCode = failed ? 1 : 0;

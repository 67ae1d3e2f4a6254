/**
 * The real exchange as a process of its own: started, killed without warning, started again on the same ports and data.
 * Owns the process and its data folder; both are gone after `stop`.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const APP = fileURLToPath(new URL('..', import.meta.url));
/** The quiet demo of the exchange's own tests: two pairs, which take little of the processor. */
const QUIET_MARKETS = 'gateway/tests/common/quiet_markets.toml';
/** The setting of a server with all pairs of the shipped demo. */
export const WHOLE_DEMO = { XNG__FILES__MARKETS: 'config/markets.toml' };
/** The binary. */
export const EXCHANGE = resolve(APP, process.env.EXCHANGE_BIN ?? '../target/debug/exchange');
const READY_MS = 120_000;
const MAIL_MS = 60_000;

/** Ports of one process that runs tests, and places for such processes in one run: more than are used. */
const [PORTS, PLACES] = [25, 4];
/** No two processes of one run have the same place, and runs side by side hardly the same number. */
const place = Number(process.env.VITEST_POOL_ID ?? 0) % PLACES;
const run = process.ppid % 120;
/** Below those that the system gives to whoever asks for any. */
let lastPort = 20_000 + (run * PLACES + place) * PORTS;

/** A port that nobody listens on, and that no other test is given. */
export async function freePort(): Promise<number> {
  for (;;) {
    lastPort += 1;
    const probe = createServer().listen(lastPort, '127.0.0.1');
    const isFree = await once(probe, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    probe.close();
    await once(probe, 'close');
    return lastPort;
  }
}

export interface Envelope<T> {
  type: string;
  code: number;
  message: T;
  data: unknown;
}

export interface OrderRow {
  id: number;
  status: number;
  symbol: string;
  filled_amount: string;
  trade_price: string;
}

export interface FillRow {
  id: number;
  order_id: number;
  price: string;
  amount: string;
}

/** What the exchange acknowledged to one account: none of it may ever change by itself. */
export interface Truth {
  orders: OrderRow[];
  fills: FillRow[];
  /** `change BTC available` and the like, zeros left out. */
  balances: Record<string, string>;
}

type Params = Record<string, string | number>;

/** What a program signs its calls with. */
export interface ApiKey {
  api_key: string;
  secret: string;
}

export class RealServer {
  readonly url: string;
  readonly ops: string;
  readonly #folder: string;
  readonly #env: NodeJS.ProcessEnv;
  /** Words of every start: a settings file of its own. */
  readonly #words: readonly string[];
  #process: ChildProcess | undefined;

  private constructor(
    port: number,
    opsPort: number,
    staticDir: string,
    settings: Record<string, string>,
    config: string | undefined,
  ) {
    this.#words = config === undefined ? [] : ['--config', config];
    this.#folder = mkdtempSync(join(tmpdir(), 'exchange-'));
    this.url = `http://127.0.0.1:${port}`;
    this.ops = `http://127.0.0.1:${opsPort}`;
    this.#env = {
      ...process.env,
      XNG__SERVER__LISTEN: `127.0.0.1:${port}`,
      XNG__SERVER__OPS_LISTEN: `127.0.0.1:${opsPort}`,
      XNG__SERVER__ADMIN_LISTEN: '',
      XNG__SERVER__DATA_DIR: join(this.#folder, 'data'),
      XNG__SERVER__STATIC_DIR: staticDir,
      XNG__FILES__MARKETS: QUIET_MARKETS,
      // One address is all of the tests' browsers.
      XNG__API__WEIGHT_PER_MINUTE: '100000000',
      ...settings,
    };
  }

  /** `settings` are variables of the exchange's own, `config` is another settings file than the shipped one. */
  static async start(staticDir: string, settings: Record<string, string> = {}, config?: string): Promise<RealServer> {
    const server = new RealServer(await freePort(), await freePort(), staticDir, settings, config);
    try {
      await server.launch();
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  /** Starts the process on the data that is there, with further settings, and waits until it serves. */
  async launch(settings: Record<string, string> = {}): Promise<void> {
    if (!existsSync(EXCHANGE)) throw new Error(`There is no exchange at ${EXCHANGE}: cargo build -p xng-gateway`);
    const log = openSync(join(this.#folder, 'log'), 'a');
    const child = spawn(EXCHANGE, [...this.#words], {
      cwd: ROOT,
      env: { ...this.#env, ...settings },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    this.#process = child;
    const deadline = Date.now() + READY_MS;
    while (!(await this.#ready())) {
      if (child.exitCode !== null || Date.now() > deadline)
        throw new Error(`The exchange did not start:\n${this.log()}`);
      await wait(50);
    }
  }

  /** `kill -9`: nothing is flushed, nobody is told. */
  async kill(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** What one of the exchange's own tools says, which asks the running process. */
  tool(...words: string[]): string {
    const done = spawnSync(EXCHANGE, [...this.#words, ...words], { cwd: ROOT, env: this.#env, encoding: 'utf8' });
    if (done.status !== 0) throw new Error(`${words.join(' ')}: ${done.stdout}${done.stderr}`);
    return done.stdout;
  }

  log(): string {
    return readFileSync(join(this.#folder, 'log'), 'utf8').split('\n').slice(-20).join('\n');
  }

  async #ready(): Promise<boolean> {
    try {
      // The app's port opens at last, so it is the one that tells.
      return (await fetch(`${this.ops}/readyz`)).ok && (await fetch(`${this.url}/api/getSiteConfig`)).ok;
    } catch {
      return false;
    }
  }

  /** The newest six digits that the demo would have sent to an address. */
  async code(address: string): Promise<string> {
    const deadline = Date.now() + MAIL_MS;
    for (;;) {
      const key = readFileSync(join(this.#folder, 'data', 'ops.key'), 'utf8');
      const headers = { Authorization: `Bearer ${key}` };
      const answer = await fetch(`${this.ops}/dev/mailbox?to=${encodeURIComponent(address)}`, { headers });
      const digits = /"(\d{6})"|\b(\d{6})\b/.exec(await answer.text());
      if (digits) return digits[1] ?? digits[2] ?? '';
      if (Date.now() > deadline) throw new Error(`No code was sent to ${address}`);
      await wait(100);
    }
  }

  async call<T>(method: 'GET' | 'POST', path: string, params: Params = {}, token = ''): Promise<T> {
    return (await this.#envelope<T>(method, path, params, token)).message;
  }

  async #envelope<T>(method: 'GET' | 'POST', path: string, params: Params, token: string): Promise<Envelope<T>> {
    const body = new URLSearchParams({ lang: 'en', ...params } as Record<string, string>);
    const headers: Record<string, string> = { 'Content-Type': 'application/x-www-form-urlencoded' };
    if (token) headers.Authorization = token;
    const answer =
      method === 'GET'
        ? await fetch(`${this.url}/api${path}?${body}`, { headers })
        : await fetch(`${this.url}/api${path}`, { method, headers, body });
    const envelope = (await answer.json()) as Envelope<T>;
    if (envelope.type !== 'ok') throw new Error(`${path}: ${JSON.stringify(envelope)}`);
    return envelope;
  }

  /** A key with which a program trades for a demo user. */
  async key(token: string): Promise<ApiKey> {
    const wanted = { label: 'program', scopes: 'read,trade', pay_password: 'demo1234' };
    return (await this.#envelope('POST', '/user/api_keys/create', wanted, token)).data as ApiKey;
  }

  /** A program's signed call. */
  async signed(key: ApiKey, method: 'GET' | 'POST', path: string, params: Params = {}): Promise<Response> {
    const query = new URLSearchParams({ ...params, timestamp: Date.now() } as unknown as Record<string, string>);
    query.append('signature', createHmac('sha256', key.secret).update(query.toString()).digest('hex'));
    return await fetch(`${this.url}${path}?${query}`, { method, headers: { 'X-MBX-APIKEY': key.api_key } });
  }

  async login(name: string, password = 'demo1234'): Promise<string> {
    return await this.call<string>('POST', '/user/login', { user_string: name, password });
  }

  /** Whether the proof of an option can be had by now: its ticks are archived a moment after they were told. */
  async hasProof(option: string): Promise<boolean> {
    return await this.call('GET', '/microtrade/proof', { id: option }).then(
      () => true,
      () => false,
    );
  }

  async truth(token: string): Promise<Truth> {
    const orders = await this.call<OrderRow[]>('GET', '/coin/list', { page: 1, limit: 100 }, token);
    const fills = await this.call<FillRow[]>('GET', '/coin/trades', { page: 1, limit: 100 }, token);
    const wallets = await this.call<Record<string, { balance?: Record<string, unknown>[] }>>(
      'GET',
      '/walletList',
      {},
      token,
    );
    const balances: Record<string, string> = {};
    for (const account of ['legal', 'change', 'lever', 'micro']) {
      for (const row of wallets[`${account}_wallet`]?.balance ?? []) {
        const note = (name: string, value: unknown) => {
          if (Number(value) !== 0) balances[`${account} ${row.currency_name} ${name}`] = String(value);
        };
        note('available', row[`${account}_balance`]);
        note('locked', row[`lock_${account}_balance`]);
      }
    }
    return { orders, fills, balances };
  }
}

/** For `World.start`: the real exchange as what serves the app, with these settings. */
export async function serveReal(
  folder: string,
  settings: Record<string, string> = {},
): Promise<{ server: RealServer; url: string }> {
  const server = await RealServer.start(folder, settings);
  return { server, url: server.url };
}

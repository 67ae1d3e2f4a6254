/**
 * A private Bitcoin node and a signer with keys of its own, as `scripts/chains.sh` starts them.
 * Owns their folder; it and both processes are gone after `stop`.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort, ROOT } from './realServer';
import { asked, SIGNER } from './signer';

const UNPACKED = join(process.env.CARGO_TARGET_DIR ?? join(ROOT, 'target'), 'chains/node');
/** So many blocks make the first one's coins spendable. */
const MATURE = 101;

/** Whether there is a node on this machine: `make chains` unpacks one. */
export const hasNode = (): boolean =>
  existsSync(SIGNER) && (existsSync(UNPACKED) || spawnSync('bitcoind', ['--version']).status === 0);

export class BitcoinNode {
  readonly #folder: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #port: number;
  /** The signer's socket. */
  readonly socket: string;

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.#port = port;
    this.#env = { ...process.env, CARGO_TARGET_DIR: folder, CHAINS_BITCOIN_PORT: String(port) };
    this.socket = join(folder, 'chains/signer.sock');
  }

  static async start(): Promise<BitcoinNode> {
    const folder = mkdtempSync(join(tmpdir(), 'chains-'));
    mkdirSync(join(folder, 'chains'));
    if (existsSync(UNPACKED)) symlinkSync(UNPACKED, join(folder, 'chains/node'));
    const node = new BitcoinNode(folder, await freePort());
    try {
      node.#script('start', SIGNER);
      await node.call('createwallet', 'coins');
      await node.mine(MATURE);
    } catch (error) {
      node.stop();
      throw error;
    }
    return node;
  }

  #script(...words: string[]) {
    const done = spawnSync('scripts/chains.sh', words, {
      cwd: ROOT,
      env: this.#env,
      // What it starts goes on, and keeps what it inherits.
      stdio: 'ignore',
    });
    if (done.status !== 0) throw new Error(`chains.sh ${words[0]}`);
  }

  stop() {
    this.#script('stop');
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async call<T>(method: string, ...params: unknown[]): Promise<T> {
    const cookie = readFileSync(join(this.#folder, 'chains/regtest/regtest/.cookie'), 'utf8');
    const answer = await fetch(`http://127.0.0.1:${this.#port}/`, {
      method: 'POST',
      headers: { Authorization: `Basic ${Buffer.from(cookie).toString('base64')}` },
      body: JSON.stringify({ id: 1, method, params }),
    });
    const { result, error } = (await answer.json()) as { result: T; error: unknown };
    if (error) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  }

  /** Waits until a transaction that the exchange signed has come, and puts it into a block. */
  async mineWhatComes(blocks: number): Promise<void> {
    while ((await this.call<string[]>('getrawmempool')).length === 0) await wait(100);
    await this.mine(blocks);
  }

  async mine(blocks: number): Promise<void> {
    await this.call('generatetoaddress', blocks, await this.call<string>('getnewaddress'));
  }

  /** A settings file: the shipped one, and this chain with coins that come and leave. */
  async settings(twoVotesAbove = '2'): Promise<string> {
    const { xpub } = await asked(this.socket, { xpub: 0 });
    const shipped = readFileSync(join(ROOT, 'config/exchange.toml'), 'utf8');
    const chain = `
[[chain]]
id = 1
name = "Bitcoin"
asset = "BTC"
network = "regtest"
node = "http://127.0.0.1:${this.#port}"
cookie = "${join(this.#folder, 'chains/regtest/regtest/.cookie')}"
account_keys = ["${xpub}"]
confirmations = 2
min_deposit = "0.0001"
addresses_a_user = 3
[chain.withdrawals]
open = true
signer = "${this.socket}"
fee = "0.0005"
min = "0.001"
max = "5"
daily_limit = "6"
most_open = 5
auto_each = "0.1"
auto_day = "0.5"
auto_hour = "1"
two_votes_above = "${twoVotesAbove}"
most_a_transaction = "5"
most_chain_fee = 200000
bump_after_s = 3600
`;
    const path = join(this.#folder, 'exchange.toml');
    writeFileSync(path, shipped + chain);
    return path;
  }
}

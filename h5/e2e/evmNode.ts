/**
 * A private EVM node with one token, and a signer with keys of its own.
 * Owns their folder and processes; all of it is gone after `stop`. A block is found every second, and final five blocks later.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort, ROOT } from './realServer';
import { asked, SIGNER } from './signer';

const UNPACKED = join(process.env.CARGO_TARGET_DIR ?? join(ROOT, 'target'), 'chains/evm/anvil');
const PROGRAM = existsSync(UNPACKED) ? UNPACKED : 'anvil';
const PASSPHRASE = 'correct horse battery';
const CHAIN_ID = 31_337;
/** Whose keys the node has. */
const RICH = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
/** A million, of a token with 6 decimals. */
const SUPPLY = 1_000_000_000_000n;

/** Whether there is a node on this machine: `make chains` gets one. */
export const hasEvm = (): boolean => existsSync(SIGNER) && spawnSync(PROGRAM, ['--version']).status === 0;

const word = (value: bigint | string): string =>
  (typeof value === 'bigint' ? value.toString(16) : value.replace('0x', '').toLowerCase()).padStart(64, '0');

export class EvmNode {
  readonly #folder: string;
  readonly #url: string;
  readonly #processes: ChildProcess[] = [];
  #token = '';
  #xpub = '';

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.#url = `http://127.0.0.1:${port}`;
  }

  static async start(): Promise<EvmNode> {
    const port = await freePort();
    const node = new EvmNode(mkdtempSync(join(tmpdir(), 'evm-')), port);
    try {
      const flags = ['--port', String(port), '--host', '127.0.0.1', '--quiet'];
      node.#run(PROGRAM, [...flags, '--block-time', '1', '--slots-in-an-epoch', '2']);
      await node.#until('the node answers', () => node.call('eth_chainId'));
      node.#token = await node.#deploy();
      await node.#startSigner();
    } catch (error) {
      node.stop();
      throw error;
    }
    return node;
  }

  #run(program: string, words: string[]) {
    const env = { ...process.env, HOME: this.#folder };
    this.#processes.push(spawn(program, words, { stdio: 'ignore', env }));
  }

  async #until<T>(what: string, ask: () => Promise<T>): Promise<T> {
    for (let tries = 0; tries < 300; tries++) {
      const answer = await ask().catch(() => null);
      if (answer) return answer;
      await wait(200);
    }
    throw new Error(`not in time: ${what}`);
  }

  async #startSigner() {
    const [folder, passphrase] = [join(this.#folder, 'signer'), join(this.#folder, 'passphrase')];
    writeFileSync(passphrase, PASSPHRASE, { mode: 0o600 });
    const words = ['--folder', folder, '--passphrase-file', passphrase];
    if (spawnSync(SIGNER, ['init', '--network', 'regtest', ...words]).status !== 0) throw new Error('no signer');
    const policy = `rings = 1
[BTC]
hour_units = 0
fee_units = 0
fee_rate = 0
cold = []
[ETH]
chain_id = ${CHAIN_ID}
hour_units = "100_000_000_000_000_000_000"
fee_units = "10_000_000_000_000_000"
gas_price = "100_000_000_000"
cold = []
[[ETH.token]]
contract = "${this.#token}"
hour_units = "1_000_000_000"
`;
    writeFileSync(join(folder, 'policy.toml'), policy);
    this.#run(SIGNER, ['run', '--socket', this.#socket, ...words]);
    const key = await this.#until('the signer answers', () => asked(this.#socket, { xpub_evm: 0 }));
    this.#xpub = String(key.xpub);
  }

  get #socket(): string {
    return join(this.#folder, 'signer.sock');
  }

  stop() {
    for (const process of this.#processes) process.kill('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async call<T>(method: string, ...params: unknown[]): Promise<T> {
    const answer = await fetch(this.#url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { result, error } = (await answer.json()) as { result: T; error: unknown };
    if (error) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  }

  async #deploy(): Promise<string> {
    const code = readFileSync(join(ROOT, 'custody/tests/contracts/plain.hex'), 'utf8').trim();
    const data = `0x${code.replace('0x', '')}${word(SUPPLY)}`;
    const id = await this.call<string>('eth_sendTransaction', { from: RICH, data, gas: '0x2dc6c0' });
    const made = await this.#until('the token is there', () =>
      this.call<{ contractAddress: string } | null>('eth_getTransactionReceipt', id),
    );
    return made?.contractAddress ?? '';
  }

  /** So many wei. */
  async pay(to: string, wei: bigint): Promise<void> {
    await this.call('eth_sendTransaction', { from: RICH, to, value: `0x${wei.toString(16)}` });
  }

  /** So many units of the token. */
  async payToken(to: string, units: bigint): Promise<void> {
    const data = `0xa9059cbb${word(to)}${word(units)}`;
    await this.call('eth_sendTransaction', { from: RICH, to: this.#token, data, gas: '0x30d40' });
  }

  /** Units of the token. */
  async tokens(of: string): Promise<bigint> {
    return BigInt(await this.call<string>('eth_call', { to: this.#token, data: `0x70a08231${word(of)}` }, 'latest'));
  }

  /** A settings file: the shipped one, and this chain, whose coin and token come and leave. */
  settings(): string {
    const terms = (fee: string, min: string, most: string) => `open = true
fee = "${fee}"
min = "${min}"
max = "${most}"
daily_limit = "${most}"
most_open = 5
auto_each = "${min}"
auto_day = "${most}"
auto_hour = "${most}"
two_votes_above = "${most}"
most_a_transaction = "${most}"
most_chain_fee = 10000000000000000
bump_after_s = 3600
`;
    const chain = `
[[chain]]
id = 2
name = "Ethereum"
asset = "ETH"
network = "regtest"
node = "${this.#url}"
account_keys = ["${this.#xpub}"]
confirmations = 5
min_deposit = "0.001"
addresses_a_user = 1
[chain.withdrawals]
signer = "${this.#socket}"
${terms('0.001', '0.01', '5')}
[chain.evm]
chain_id = ${CHAIN_ID}
token_network = "ERC20"
finalized_tag = true
min_sweep = "0.1"
coin_gas = 60000
token_gas = 100000
max_gas_price = 100
min_priority = 1
[[chain.evm.token]]
asset = "USDT"
contract = "${this.#token}"
decimals = 6
min_deposit = "1"
min_sweep = "10"
[chain.evm.token.withdrawals]
${terms('1', '5', '1000')}`;
    const path = join(this.#folder, 'exchange.toml');
    writeFileSync(path, readFileSync(join(ROOT, 'config/exchange.toml'), 'utf8') + chain);
    return path;
  }
}

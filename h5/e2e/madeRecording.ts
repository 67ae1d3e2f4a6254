/**
 * A recording of two pairs in the recorded format, made for one test: prices are what the test says they are. Owns its folder.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const DEPTH = 'recv_ns,kind,event_ms,txn_ms,first_update_id,final_update_id,prev_final_update_id,side,price,qty';
const TRADES = 'recv_ns,event_ms,trade_ms,trade_id,price,qty,is_buyer_maker,taker_side';
const BEGIN_MS = 1_723_161_255_000;
const STEP_MS = 200;
const LEVELS = 20;

/** A price in cents at a second of the recording; undefined while nothing is told of the pair. */
type Price = (second: number) => number | undefined;

const text = (cents: number) => `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;

function book(cents: number): [string, number][] {
  const levels = Array.from({ length: LEVELS }, (_, n) => 1 + n * 5);
  return levels.flatMap((away): [string, number][] => [
    ['bid', cents - away],
    ['ask', cents + away],
  ]);
}

function rows(price: Price, seconds: number): { depth: string[]; trades: string[] } {
  const depth = [DEPTH];
  const trades = [TRADES];
  let id = 1_000;
  let before: [string, number][] = [];
  for (let at = 0; at < seconds * 1_000; at += STEP_MS) {
    const ms = BEGIN_MS + at;
    const told = price(at / 1_000);
    if (told === undefined) continue;
    const cents = Math.round(told);
    const now = book(cents);
    id += 1;
    const kind = before.length === 0 ? `snapshot,${ms},,,${id},` : `update,${ms},,${id},${id},`;
    const gone = before.filter(([side, p]) => !now.some(([other, q]) => side === other && p === q));
    for (const [side, p] of gone) depth.push(`${ms}000000,${kind},${side},${text(p)},0`);
    // The quantity of the best level says that something happens even while the price stands.
    for (const [side, p] of now) depth.push(`${ms}000000,${kind},${side},${text(p)},${1 + (id % 7)}`);
    trades.push(`${ms}000010,${ms},${ms},${id},${text(cents + 1)},0.01,false,buy`);
    before = now;
  }
  return { depth, trades };
}

export class MadeRecording {
  readonly folder = mkdtempSync(join(tmpdir(), 'recording-'));

  /** Each pair's price in cents, by the second, for so many seconds; then it begins again. */
  constructor(prices: Record<string, Price>, seconds: number) {
    for (const [pair, price] of Object.entries(prices)) {
      const { depth, trades } = rows(price, seconds);
      const write = (kind: string, lines: string[]) =>
        writeFileSync(join(this.folder, `spot_${pair}_${kind}.csv.gz`), gzipSync(`${lines.join('\n')}\n`));
      write('depth', depth);
      write('trades', trades);
    }
  }

  /** The settings of a server that plays it. */
  get settings(): Record<string, string> {
    return { XNG__FEED__KIND: 'replay', XNG__FEED__SOURCE: this.folder };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

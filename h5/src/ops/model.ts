/** What the console keeps between frames: two minutes of the figures that are drawn, and the tail of the log. */
import { compareText } from '@/lib/decimalText';
import type { Desk, Frame, LogLine, Snapshot, Stage } from './types';

export const POINTS = 120;
const LINES = 300;

/** Growth a second of a count since the last snapshot that came; a restart counts anew. */
function growth(of: (s: Snapshot) => number | undefined) {
  return (s: Snapshot, before: Snapshot | null): number | null => {
    const [now, then] = [of(s), before ? of(before) : undefined];
    if (now === undefined || then === undefined || !before || now < then || s.at_ms <= before.at_ms) return null;
    return ((now - then) * 1e3) / (s.at_ms - before.at_ms);
  };
}

/** The series that are drawn. A second without a value is a gap. */
export const SERIES = {
  orders: (s: Snapshot) => s.orders.rate,
  ack: (s: Snapshot) => s.orders.ack_p99_us,
  commands: (s: Snapshot) => s.cell.commands_rate,
  records: (s: Snapshot) => s.journal.rate,
  fsync50: (s: Snapshot) => s.journal.fsync_p50_us,
  fsync99: (s: Snapshot) => s.journal.fsync_p99_us,
  group: (s: Snapshot) => s.journal.group_mean,
  lag: (s: Snapshot) => s.persister.lag_records,
  rows: (s: Snapshot) => s.persister.rows_rate,
  fanout: (s: Snapshot) => s.sockets.fanout_p99_us,
  waiting: (s: Snapshot) => s.cell.ingress + s.cell.queue + s.cell.gate,
  cpu: (s: Snapshot) => s.process.cpu,
  memory: (s: Snapshot) => s.process.rss_bytes,
  converted: growth((s) => s.convert?.done),
  unconverted: growth((s) => s.convert?.refused),
} satisfies Record<string, (s: Snapshot, before: Snapshot | null) => number | null>;

export type SeriesName = keyof typeof SERIES;
export type History = Record<SeriesName, (number | null)[]>;

export interface Model {
  snapshot: Snapshot | null;
  /** What a process that is still starting does. */
  starting: string | null;
  history: History;
  log: LogLine[];
  /** When the last snapshot came, on this machine's clock. */
  heardMs: number;
}

const names = Object.keys(SERIES) as SeriesName[];

export const EMPTY: Model = {
  snapshot: null,
  starting: null,
  history: Object.fromEntries(names.map((name) => [name, []])) as unknown as History,
  log: [],
  heardMs: 0,
};

function isSnapshot(frame: Frame): frame is Frame & Snapshot {
  return frame.at_ms !== undefined;
}

/** Lines come once each: what a reconnect brings again is known by its number. A restart begins to count anew. */
function appended(log: LogLine[], more: LogLine[]): LogLine[] {
  const first = more[0];
  if (!first) return log;
  const last = log.at(-1)?.[0] ?? 0;
  const restarted = first[0] === 1 && last > (more.at(-1)?.[0] ?? 0);
  const fresh = restarted ? more : more.filter(([number]) => number > last);
  return [...(restarted ? [] : log), ...fresh].slice(-LINES);
}

export function hear(model: Model, frame: Frame, nowMs: number): Model {
  const log = frame.log ? appended(model.log, frame.log) : model.log;
  if (!isSnapshot(frame)) return { ...model, log, starting: frame.starting ?? model.starting };
  const history = { ...model.history };
  for (const name of names) history[name] = [...history[name], SERIES[name](frame, model.snapshot)].slice(-POINTS);
  return { snapshot: frame, starting: null, history, log, heardMs: nowMs };
}

/** Messages of all kinds, the commonest first: an order that does not jump about with every second's rate. */
export function busiest({ actors }: Snapshot) {
  const all = actors.flatMap(({ type, messages }) => messages.map((message) => ({ type, ...message })));
  return all.sort((a, b) => b.total - a.total);
}

/** The part of a limit that is used, from 0 on; what is not known uses nothing. */
export const share = (part: string | null, limit: string): number => Math.max(0, Number(part ?? 0) / Number(limit));

/** Assets of which the house gave most of what it gives in a day first, all others as they are listed. */
export function fullest({ assets }: NonNullable<Snapshot['convert']>) {
  return assets.map((one) => ({ ...one, used: share(one.given, one.cap) })).sort((a, b) => b.used - a.used);
}

/** Stocks out of their sessions: they have no new price, nor should they. */
export function resting({ stocks }: Snapshot): Set<string> {
  const open = stocks?.venues.filter(({ phase }) => phase === 'open').map(({ name }) => name);
  const rest = stocks?.markets.filter(({ venue }) => venue === null || !open?.includes(venue));
  return new Set(rest?.map(({ symbol }) => symbol));
}

/** What a desk does, in words, and whether an operator should care. */
export function deskState(desk: Desk): [words: string, tone: 'good' | 'warn' | 'bad'] {
  if (!desk.open) return compareText(desk.lost, desk.day_cap) >= 0 ? ['at limit', 'bad'] : ['closed', 'warn'];
  if (desk.age_s === null || desk.age_s > desk.fresh_s) return ['no price', 'bad'];
  if (desk.rise_open && desk.fall_open) return ['open', 'good'];
  if (desk.rise_open) return ['fall full', 'warn'];
  return [desk.fall_open ? 'rise full' : 'full', 'warn'];
}

export interface Step extends Stage {
  /** Since the first stage, in microseconds. */
  offset: number;
  /** Where it stands on a line from the first stage to the last, 0 to 1: short and long times are both told apart. */
  place: number;
}

export function steps(stages: Stage[]): Step[] {
  const first = Math.min(...stages.map(({ at_ns }) => at_ns));
  const offsets = stages.map(({ at_ns }) => (at_ns - first) / 1e3);
  const longest = Math.max(...offsets, 1);
  return stages.map((stage, n) => {
    const offset = offsets[n] ?? 0;
    return { ...stage, offset, place: Math.log1p(offset) / Math.log1p(longest) };
  });
}

export interface Line {
  number: number;
  time: string;
  level: string;
  text: string;
}

/** A line of the log for people; one that is no JSON is shown as it is. */
export function readable([number, line]: LogLine): Line {
  try {
    const { timestamp, level, target, fields } = JSON.parse(line) as {
      timestamp: string;
      level: string;
      target: string;
      fields: Record<string, unknown>;
    };
    const { message, ...rest } = fields;
    const more = Object.entries(rest).map(
      ([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
    );
    const text = [message, ...more].filter(Boolean).join('  ');
    return { number, time: timestamp.slice(11, 23), level, text: `${target.replace(/^xng_/, '')}  ${text}` };
  } catch {
    return { number, time: '', level: '', text: line };
  }
}

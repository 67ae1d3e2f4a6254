/** What the console keeps between frames: two minutes of the figures that are drawn, and the tail of the log. */
import type { Frame, LogLine, Snapshot, Stage } from './types';

export const POINTS = 120;
const LINES = 300;

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
} satisfies Record<string, (s: Snapshot) => number | null>;

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
  for (const name of names) history[name] = [...history[name], SERIES[name](frame)].slice(-POINTS);
  return { snapshot: frame, starting: null, history, log, heardMs: nowMs };
}

/** Messages of all kinds, the commonest first: an order that does not jump about with every second's rate. */
export function busiest({ actors }: Snapshot) {
  const all = actors.flatMap(({ type, messages }) => messages.map((message) => ({ type, ...message })));
  return all.sort((a, b) => b.total - a.total);
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

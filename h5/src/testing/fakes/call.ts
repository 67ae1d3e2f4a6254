/** Calls as the fake back end reads and answers them. */

export const TOKEN = 'demo';
export const PASSWORD = 'demo1234';

export interface FakeRequest {
  method: string;
  /** Below /api. */
  path: string;
  params: Record<string, string>;
  token: string;
  key: string;
}

export class Refusal extends Error {
  readonly code: number;
  readonly fields: Record<string, string>;
  constructor(code: number, text: string, fields: Record<string, string> = {}) {
    super(text);
    this.code = code;
    this.fields = fields;
  }
}

export type Handler = (request: FakeRequest) => unknown;
/** The calls of an area, by path. */
export type Calls = Readonly<Record<string, Handler>>;

/** The first answer to each request key, and what was asked. */
export type Fates = Map<string, { path: string; status: number; body: unknown }>;

export const ok = (message: unknown, data: unknown = null) => ({ type: 'ok', code: 1, message, data });

/** `YYYY-MM-DD HH:MM:SS`, UTC. */
export const timeText = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');

export function paged<T>(rows: readonly T[], params: Record<string, string>): T[] {
  const page = Number(params.page ?? 1);
  const limit = Number(params.limit ?? 10);
  return rows.slice((page - 1) * limit, page * limit);
}

/**
 * Parameters as somebody types them: percent for parts per million, texts for numbers.
 *
 * Owns: what can be sent. Never does: decide what a market can have, which the server does. Invariants: decimals stay texts.
 */

import { NAMES } from './parameterTexts';
import type { Params } from './parameterTypes';
import { percentOf, ppmOf } from './ppm';

export interface LevelDraft {
  level: number;
  maker: string;
  taker: string;
}

export interface Draft {
  tick: string;
  step: string;
  min_quantity: string;
  max_quantity: string;
  min_notional: string;
  band: string;
  protection: string;
  max_open_orders: string;
  stale_after_ms: string;
  fees: LevelDraft[];
}

export type DraftField = Exclude<keyof Draft, 'fees'>;

type Kind = 'decimal' | 'percent' | 'whole';

export const FIELDS: readonly [field: DraftField, label: string, kind: Kind][] = [
  ['tick', NAMES.tick, 'decimal'],
  ['step', NAMES.step, 'decimal'],
  ['min_quantity', NAMES.min_quantity, 'decimal'],
  ['max_quantity', NAMES.max_quantity, 'decimal'],
  ['min_notional', NAMES.min_notional, 'decimal'],
  ['max_open_orders', NAMES.max_open_orders, 'whole'],
  ['band', `${NAMES.band_ppm}, percent`, 'percent'],
  ['protection', `${NAMES.protection_ppm}, percent`, 'percent'],
  ['stale_after_ms', `${NAMES.stale_after_ms}, ms`, 'whole'],
];

const FITS: Record<Kind, (text: string) => boolean> = {
  decimal: (text) => /^\d+(\.\d+)?$/.test(text),
  percent: (text) => ppmOf(text) !== null,
  whole: (text) => /^\d{1,9}$/.test(text),
};

export const isRead = (kind: Kind, text: string): boolean => FITS[kind](text);

export const draftOf = (params: Params): Draft => ({
  tick: params.tick,
  step: params.step,
  min_quantity: params.min_quantity,
  max_quantity: params.max_quantity,
  min_notional: params.min_notional,
  band: percentOf(params.band_ppm),
  protection: percentOf(params.protection_ppm),
  max_open_orders: String(params.max_open_orders),
  stale_after_ms: String(params.stale_after_ms),
  fees: params.fees.map((one, level) => ({
    level,
    maker: percentOf(one.maker_ppm),
    taker: percentOf(one.taker_ppm),
  })),
});

/** Null when something in it cannot be read. */
export function paramsOf(draft: Draft): Params | null {
  if (!FIELDS.every(([field, , kind]) => isRead(kind, draft[field]))) return null;
  const [band_ppm, protection_ppm] = [ppmOf(draft.band), ppmOf(draft.protection)];
  const fees: Params['fees'] = [];
  for (const { maker, taker } of draft.fees) {
    const [maker_ppm, taker_ppm] = [ppmOf(maker), ppmOf(taker)];
    if (maker_ppm === null || taker_ppm === null) return null;
    fees.push({ maker_ppm, taker_ppm });
  }
  if (band_ppm === null || protection_ppm === null || fees.length === 0) return null;
  const { tick, step, min_quantity, max_quantity, min_notional } = draft;
  const [max_open_orders, stale_after_ms] = [Number(draft.max_open_orders), Number(draft.stale_after_ms)];
  return {
    tick,
    step,
    min_quantity,
    max_quantity,
    min_notional,
    band_ppm,
    protection_ppm,
    max_open_orders,
    stale_after_ms,
    fees,
  };
}

export const DAYS_AHEAD = 30;
const DAY_MS = 86_400_000;

/** What a field of date and time says, in UTC; null when that is not in the future, or too far in it. */
export function effectOf(field: string, nowMs: number): number | null {
  const ms = Date.parse(`${field}Z`);
  return ms > nowMs && ms <= nowMs + DAYS_AHEAD * DAY_MS ? ms : null;
}

/** The field's text of a time, in UTC. */
export const fieldOf = (ms: number): string => new Date(ms).toISOString().slice(0, 16);

export const latestOf = (nowMs: number): string => fieldOf(nowMs + DAYS_AHEAD * DAY_MS);

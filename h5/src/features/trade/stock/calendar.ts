/** An exchange's sessions as trading days, with the days between them on which nothing is traded. Pure. */
import { dayKey, timeOfDay } from '@/lib/times';
import type { Calendar } from '../api/stock';

export interface TradingDay {
  /** 2026-11-30, where the exchange is. */
  key: string;
  /** Noon of that date in UTC: what its name is made of. */
  noonMs: number;
  /** None: nothing is traded. */
  sessions: Calendar['sessions'];
  /** Closes earlier than most days do. */
  short: boolean;
  weekend: boolean;
  today: boolean;
}

const DAYS = 14;
const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

/** The days from today on. One that is over has no session any more and is no holiday: it is left out. */
export function tradingDays({ sessions, server_ms, zone }: Calendar): TradingDay[] {
  const today = dayKey(server_ms, zone);
  const firstMs = Date.parse(`${today}T12:00:00Z`);
  const usual = usualClose(sessions, zone);
  return Array.from({ length: DAYS }, (_, index) => firstMs + index * DAY_MS).flatMap((noonMs, index) => {
    const key = new Date(noonMs).toISOString().slice(0, 10);
    const own = sessions.filter(({ open_ms }) => dayKey(open_ms, zone) === key);
    const weekend = [0, 6].includes(new Date(noonMs).getUTCDay());
    if (index === 0 && own.length === 0 && !weekend) return [];
    const last = own.find((session) => session.last === 1);
    const short = last !== undefined && usual !== undefined && timeOfDay(last.close_ms, zone) < usual;
    return [{ key, noonMs, sessions: own, short, weekend, today: index === 0 }];
  });
}

/** When most days close there, as a text that compares. */
function usualClose(sessions: Calendar['sessions'], zone: string): string | undefined {
  const counts = new Map<string, number>();
  for (const { close_ms, last } of sessions) {
    if (last !== 1) continue;
    const time = timeOfDay(close_ms, zone);
    counts.set(time, (counts.get(time) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
}

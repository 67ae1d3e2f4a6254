/** What reads frames stands on: single values, rows, and words that a newer server may add to. */

export type Json = Record<string, unknown>;

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function integer(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined;
}

export function decimal(value: unknown): number | undefined {
  if (typeof value !== 'string' || value === '') return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

/** Every element must pass, otherwise the whole list is refused. */
export function rows<T>(data: unknown, decode: (row: unknown) => T | undefined): T[] | undefined {
  if (!Array.isArray(data)) return undefined;
  const decoded: T[] = [];
  for (const row of data) {
    const value = decode(row);
    if (value === undefined) return undefined;
    decoded.push(value);
  }
  return decoded;
}

/** A word that this app does not know, where it knows others: the server is newer. */
export class UnknownWord extends Error {}

export function oneOf<T>(value: unknown, known: readonly T[], name: string): T {
  if (!known.includes(value as T)) throw new UnknownWord(name);
  return value as T;
}

/** Like `rows`, without those that have an unknown word; these are named. */
export function knownRows<T>(
  data: unknown,
  decode: (row: unknown) => T | undefined,
): { rows: T[]; unknown: string[] } | undefined {
  const unknown: string[] = [];
  const decoded = rows(data, (row): { value: T | undefined } | undefined => {
    try {
      const value = decode(row);
      return value === undefined ? undefined : { value };
    } catch (cause) {
      if (!(cause instanceof UnknownWord)) throw cause;
      unknown.push(cause.message);
      return { value: undefined };
    }
  });
  return decoded && { rows: decoded.flatMap(({ value }) => (value === undefined ? [] : [value])), unknown };
}

/**
 * What values of answers must be like. A shape tells where a value differs from it: the path inside the value, empty for
 * the value itself; undefined when it does not. A path that ends in `?` leads to a word that the shape does not know,
 * where it knows others. Servers may be newer than the app: fields that a shape does not name are allowed.
 */
export interface Shape<T> {
  (value: unknown, look?: Look): string | undefined;
  /** The type of what it lets pass; never there. */
  readonly of?: T;
}

/** How a value is looked at. */
export interface Look {
  /** Fields that a shape does not name are refused: the look of tests at their fakes. */
  strict?: boolean;
  /**
   * Rows with an unknown word are taken out of their list, which may then be shorter than it was sent, and told here by
   * their path inside the list. Without it they are refused, and the list with them.
   */
  leftOut?(where: string): void;
}

const UNKNOWN = '?';

export const isUnknownWord = (wrong: string): boolean => wrong.endsWith(UNKNOWN);

const sentLengths = new WeakMap<readonly unknown[], number>();

/** How many rows a list had when it was sent. */
export const sentLength = (rows: readonly unknown[]): number => sentLengths.get(rows) ?? rows.length;

/** Amounts as text: plain notation, no exponent. */
export type Dec = string;

const kind =
  <T>(is: (value: unknown) => boolean): Shape<T> =>
  (value) =>
    is(value) ? undefined : '';

const DECIMAL = /^-?\d+(\.\d+)?$/;

export const text: Shape<string> = kind((value) => typeof value === 'string');
export const decimal: Shape<Dec> = kind((value) => typeof value === 'string' && DECIMAL.test(value));
export const whole: Shape<number> = kind(Number.isInteger);
export const number: Shape<number> = kind(Number.isFinite);
export const flag: Shape<boolean> = kind((value) => typeof value === 'boolean');
export const nothing: Shape<null> = kind((value) => value === null);
export const anything: Shape<unknown> = kind(() => true);

/* @__NO_SIDE_EFFECTS__ */
export function oneOf<const T extends string | number>(...values: readonly T[]): Shape<T> {
  return (value) => {
    if ((values as readonly unknown[]).includes(value)) return undefined;
    return typeof value === typeof values[0] ? UNKNOWN : '';
  };
}

/* @__NO_SIDE_EFFECTS__ */
export function list<T>(row: Shape<T>): Shape<T[]> {
  return (value, look) => {
    if (!Array.isArray(value)) return '';
    const unknown = new Set<number>();
    for (let index = 0; index < value.length; index += 1) {
      const wrong = row(value[index], look);
      if (wrong === undefined) continue;
      if (!look?.leftOut || !isUnknownWord(wrong)) return `[${index}]${wrong}`;
      look.leftOut(`[${index}]${wrong}`);
      unknown.add(index);
    }
    if (unknown.size > 0) {
      sentLengths.set(value, value.length);
      value.splice(0, value.length, ...value.filter((_, index) => !unknown.has(index)));
    }
    return undefined;
  };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/* @__NO_SIDE_EFFECTS__ */
export function map<T>(entry: Shape<T>): Shape<Record<string, T>> {
  return (value, look) => {
    if (!isRecord(value)) return '';
    for (const [name, field] of Object.entries(value)) {
      const wrong = entry(field, look);
      if (wrong !== undefined) return `.${name}${wrong}`;
    }
    return undefined;
  };
}

type Shapes = Readonly<Record<string, Shape<unknown>>>;
type Of<S> = S extends Shape<infer T> ? T : never;
type Fields<R, O> = { [K in keyof R]: Of<R[K]> } & { [K in keyof O]?: Of<O[K]> };

/**
 * An object; `optional` are fields that may be absent.
 * @__NO_SIDE_EFFECTS__
 */
export function object<R extends Shapes, O extends Shapes = Record<never, never>>(
  fields: R,
  optional?: O,
): Shape<Fields<R, O>> {
  const required = Object.entries(fields);
  const others = Object.entries(optional ?? {});
  return (value, look) => {
    if (!isRecord(value)) return '';
    for (const [name, shape] of required) {
      const wrong = shape(value[name], look);
      if (wrong !== undefined) return `.${name}${wrong}`;
    }
    for (const [name, shape] of others) {
      const wrong = value[name] === undefined ? undefined : shape(value[name], look);
      if (wrong !== undefined) return `.${name}${wrong}`;
    }
    if (!look?.strict) return undefined;
    const unknown = Object.keys(value).find((name) => !(name in fields || (optional && name in optional)));
    return unknown === undefined ? undefined : `.${unknown}`;
  };
}

/**
 * One of several; where none fits, an unknown word of one of them, or where the last one differs. Rows are left out only
 * of a value that fits none as it is.
 * @__NO_SIDE_EFFECTS__
 */
export function either<T extends readonly unknown[]>(
  ...shapes: { readonly [K in keyof T]: Shape<T[K]> }
): Shape<T[number]> {
  return (value, look) => {
    let told = '';
    for (const seen of look?.leftOut ? [{ ...look, leftOut: undefined }, look] : [look]) {
      told = '';
      for (const shape of shapes) {
        const wrong = shape(value, seen);
        if (wrong === undefined) return undefined;
        if (!isUnknownWord(told)) told = wrong;
      }
    }
    return told;
  };
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** A call of the server: where it is, what it takes and what it answers with. `P` are its fields. */
export interface CallShape<P, M, D = null> {
  readonly method: Method;
  /** Below `/api`. */
  readonly path: string;
  readonly message: Shape<M>;
  /** Of a call that answers with nothing but its message: none. */
  readonly data?: Shape<D> | undefined;
  /** The type of its fields; never there. */
  readonly takes?: P;
}

/* @__NO_SIDE_EFFECTS__ */
export function describeCall<P extends object = Record<never, never>, M = unknown, D = null>(
  method: Method,
  path: string,
  message: Shape<M>,
  data?: Shape<D>,
): CallShape<P, M, D> {
  return { method, path, message, data };
}

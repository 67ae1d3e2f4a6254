/**
 * What values of answers must be like. A shape tells where a value differs from it: the path inside the value, empty for
 * the value itself; undefined when it does not. Fields that a shape does not name are allowed, because servers may be newer
 * than the app; only a strict look, that of tests at their fakes, refuses them.
 */
export interface Shape<T> {
  (value: unknown, strict?: boolean): string | undefined;
  /** The type of what it lets pass; never there. */
  readonly of?: T;
}

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
  return kind((value) => (values as readonly unknown[]).includes(value));
}

/* @__NO_SIDE_EFFECTS__ */
export function list<T>(row: Shape<T>): Shape<T[]> {
  return (value, strict) => {
    if (!Array.isArray(value)) return '';
    for (let index = 0; index < value.length; index += 1) {
      const wrong = row(value[index], strict);
      if (wrong !== undefined) return `[${index}]${wrong}`;
    }
    return undefined;
  };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/* @__NO_SIDE_EFFECTS__ */
export function map<T>(entry: Shape<T>): Shape<Record<string, T>> {
  return (value, strict) => {
    if (!isRecord(value)) return '';
    for (const [name, field] of Object.entries(value)) {
      const wrong = entry(field, strict);
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
  return (value, strict) => {
    if (!isRecord(value)) return '';
    for (const [name, shape] of required) {
      const wrong = shape(value[name], strict);
      if (wrong !== undefined) return `.${name}${wrong}`;
    }
    for (const [name, shape] of others) {
      const wrong = value[name] === undefined ? undefined : shape(value[name], strict);
      if (wrong !== undefined) return `.${name}${wrong}`;
    }
    if (!strict) return undefined;
    const unknown = Object.keys(value).find((name) => !(name in fields || (optional && name in optional)));
    return unknown === undefined ? undefined : `.${unknown}`;
  };
}

/**
 * One of several; where none fits, where the last one differs.
 * @__NO_SIDE_EFFECTS__
 */
export function either<T extends readonly unknown[]>(
  ...shapes: { readonly [K in keyof T]: Shape<T[K]> }
): Shape<T[number]> {
  return (value, strict) => {
    let wrong: string | undefined = '';
    for (const shape of shapes) {
      wrong = shape(value, strict);
      if (wrong === undefined) break;
    }
    return wrong;
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

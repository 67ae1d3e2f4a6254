/** How a call can fail. Only a `lost` answer leaves open whether the server acted. */

export type TransportKind = 'network' | 'timeout' | 'http' | 'garbled' | 'aborted';

export class TransportError extends Error {
  readonly kind: TransportKind;
  readonly status: number;

  /** `where` is what cannot be read in an answer: its call, and the path to the value. */
  constructor(kind: TransportKind, status = 0, where = '') {
    super([kind, status || '', where].filter(Boolean).join(' '));
    this.name = 'TransportError';
    this.kind = kind;
    this.status = status;
  }

  /** True if the request may have been carried out although no answer arrived. */
  get lost(): boolean {
    return this.kind !== 'http' || this.status >= 500;
  }
}

/** The server's refusal: a permanent code and a text in the user's language. */
export class BusinessError extends Error {
  readonly code: number;
  readonly fields: Readonly<Record<string, string>>;

  constructor(code: number, text: string, fields: Readonly<Record<string, string>> = {}) {
    super(text);
    this.name = 'BusinessError';
    this.code = code;
    this.fields = fields;
  }
}

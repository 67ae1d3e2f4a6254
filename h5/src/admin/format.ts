/** Numbers and times as people at a desk read them. */
import { cutText, multiplyText, roundText, trimZeros } from '@/lib/decimalText';

const TIME = new Intl.DateTimeFormat('en-GB', {
  year: 'numeric',
  month: 'short',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});

export const time = (ms: number): string => TIME.format(ms);

const UTC = new Intl.DateTimeFormat('en-GB', {
  year: 'numeric',
  month: 'short',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
});

/** For what takes effect at a time that people agree on, wherever they are. */
export const utc = (ms: number): string => `${UTC.format(ms)} UTC`;

/** How long ago, in its largest unit and the next. */
export function age(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** Minutes and seconds that are left. */
export function left(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** Units of a chain as whole coins, exactly. */
export function coins(units: string, decimals: number): string {
  const digits = units.padStart(decimals + 1, '0');
  const part = digits.slice(digits.length - decimals).replace(/0+$/, '');
  const whole = digits.slice(0, digits.length - decimals);
  return part === '' ? whole : `${whole}.${part}`;
}

/** A sum with its thousands apart, and no more than so many decimals; what is beyond them is cut. */
export function sum(text: string, decimals: number): string {
  const [whole = '', part] = trimZeros(cutText(text, decimals)).split('.');
  const apart = whole.replace(/\B(?=(\d{3})+$)/g, '\u202f');
  return part === undefined ? apart : `${apart}.${part}`;
}

/** A part of 1 in percent. */
export const percent = (part: number, places: number): string => `${roundText(multiplyText(part, 100), places)} %`;

/** Names of flags, and why each wants a look. */
export const FLAGS: Record<string, [name: string, why: string]> = {
  new_address: ['New address', 'The address was saved less than 72 hours ago.'],
  new_session: ['New session', 'The session that asked began less than 24 hours ago.'],
  first: ['First', 'It is the first withdrawal of this account.'],
  most_of_all: ['Most of all', 'It is more than half of what the account has.'],
  new_factor: ['New factor', 'A second factor or a password was changed less than 7 days ago.'],
  without_trade: ['No trade', 'What was deposited leaves without a trade.'],
};

export const flag = (name: string): [string, string] => FLAGS[name] ?? [name, name];

/** Levels of identity verification. */
export const LEVELS: Record<1 | 2, string> = { 1: 'Basic', 2: 'Advanced' };

/** Kinds of documents by their numbers. */
export const DOCUMENTS = ['ID card', 'Passport', 'Driver’s licence'] as const;

/** Why a verification fails, as its user is told in their language. */
export const REASONS: Record<string, string> = {
  unreadable: 'Pictures cannot be read',
  expired: 'Document has expired',
  mismatch: 'Entries differ from the document',
  wrong_document: 'Another kind of document',
  duplicate: 'Document of another account',
  underage: 'Too young',
  other: 'Something else',
};

export const reasonText = (code: string): string => REASONS[code] ?? code;

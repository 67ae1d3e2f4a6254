/** What is entered about a person and a document, and what is wrong with it. */
import { isIdCard, isLengthBetween } from '@/lib/validators';

export interface Person {
  /** A region: several share a calling code. */
  region: string | null;
  /** Calling code, which the server knows countries by. */
  country: string | null;
  kind: 0 | 1 | 2 | null;
  name: string;
  number: string;
}

export type PersonField = 'country' | 'kind' | 'name' | 'number';
export type PersonProblem = 'country' | 'kind' | 'name' | 'number' | 'idCard';

const [ID_CARD, MAINLAND] = [0, '86'];
/** Letters and marks of all scripts, and what stands between and within names. */
const NAME = /^[\p{L}\p{M} .'’·-]*\p{L}[\p{L}\p{M} .'’·-]*$/u;

export const tidyName = (name: string): string => name.trim().replace(/\s+/g, ' ');

function numberProblem({ kind, country, number }: Person): PersonProblem | undefined {
  if (!/^[0-9A-Za-z]{6,30}$/.test(number.trim())) return 'number';
  return kind === ID_CARD && country === MAINLAND && !isIdCard(number.trim()) ? 'idCard' : undefined;
}

export function problemsOf(person: Person): Record<PersonField, PersonProblem | undefined> {
  const name = tidyName(person.name);
  return {
    country: person.country === null ? 'country' : undefined,
    kind: person.kind === null ? 'kind' : undefined,
    name: isLengthBetween(name, 2, 50) && NAME.test(name) ? undefined : 'name',
    number: numberProblem(person),
  };
}

/** What is entered about a person and a document, and what is wrong with it. */

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
/** 2 to 50 letters and marks of all scripts, and what stands between and within names. */
const NAME = /^(?=.{2,50}$)[\p{L}\p{M} .'’·-]*\p{L}[\p{L}\p{M} .'’·-]*$/u;

export const tidyName = (name: string): string => name.trim().replace(/\s+/g, ' ');

/** Mainland identity card: 18 characters with a valid check character. */
function isIdCard(text: string): boolean {
  if (!/^\d{17}[\dXx]$/.test(text)) return false;
  const weights = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];
  const sum = weights.reduce((total, weight, index) => total + weight * Number(text[index]), 0);
  return '10X98765432'[sum % 11] === text[17]?.toUpperCase();
}

function numberProblem({ kind, country, number }: Person): PersonProblem | undefined {
  if (!/^[0-9A-Za-z]{6,30}$/.test(number.trim())) return 'number';
  return kind === ID_CARD && country === MAINLAND && !isIdCard(number.trim()) ? 'idCard' : undefined;
}

export function problemsOf(person: Person): Record<PersonField, PersonProblem | undefined> {
  return {
    country: person.country === null ? 'country' : undefined,
    kind: person.kind === null ? 'kind' : undefined,
    name: NAME.test(tidyName(person.name)) ? undefined : 'name',
    number: numberProblem(person),
  };
}

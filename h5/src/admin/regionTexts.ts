/** Countries and products as people at a desk read them, and the subject of a case about them. */
import { type Area, areaName, areasIn, countriesOf, isSearched } from '@/lib/areas';

const TAG = 'en';

const PRODUCTS: Readonly<Record<string, string>> = {
  spot: 'Spot',
  contract: 'Contracts',
  options: 'Options',
  flash_exchange: 'Flash exchange',
  stocks: 'Stocks',
  follow: 'Copy trading',
};

export const productName = (product: string): string => PRODUCTS[product] ?? product;

export const productsText = (products: readonly string[]): string => products.map(productName).join(', ');

/** Of accounts that were never verified. */
export const UNKNOWN = 'Country unknown';
/** A country in addresses and subjects; none has these letters. */
const UNKNOWN_KEY = 'unknown';

export const keyOf = (country: string): string => (country === '' ? UNKNOWN_KEY : country);
export const countryOf = (key: string): string => (key === UNKNOWN_KEY ? '' : key);

export const countryName = (country: string): string => (country === '' ? UNKNOWN : areaName(country, TAG));

/** With its letters. */
export const countryText = (country: string): string =>
  country === '' ? UNKNOWN : `${areaName(country, TAG)} (${country})`;

/** What a verification says: its calling code, and the country that it named. */
export const areaOf = (code: string, region: string | null): string =>
  region === null ? countriesOf(code, TAG) : `${areaName(region, TAG)} (${region}, +${code})`;

/** All that can be chosen, by name; accounts without a country first. */
export const ALL_AREAS: readonly Area[] = [{ region: '', code: '', name: UNKNOWN }, ...areasIn(TAG)];

/** Whether a search by name, letters or calling code finds a country. */
export function isFound(country: string, text: string): boolean {
  if (text.trim() === '') return true;
  const area = ALL_AREAS.find(({ region }) => region === country);
  return (area !== undefined && isSearched(area, text)) || country === text.trim().toUpperCase();
}

/** `region:US:contract,options`; undefined if it is none of these. */
export function readSubject(subject: string): { country: string; products: string[] } | undefined {
  const [kind, key = '', products = ''] = subject.split(':');
  if (kind !== 'region' || key === '' || products === '') return undefined;
  return { country: countryOf(key), products: products.split(',') };
}

/** A case's subject in words. */
export function subjectText(subject: string): string {
  const read = readSubject(subject);
  return read ? `${countryName(read.country)}: ${productsText(read.products)}` : subject;
}

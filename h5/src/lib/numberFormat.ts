/** The one place that asks the platform to write a number. A formatter costs much to make and nothing to keep. */

const made = new Map<string, Intl.NumberFormat>();

/** Separators of that language, always Western digits; between `least` and `places` decimals. */
export function numberFormat(tag: string, places: number, least = places): Intl.NumberFormat {
  const id = `${tag} ${places} ${least}`;
  let format = made.get(id);
  if (!format) {
    format = new Intl.NumberFormat(tag, {
      minimumFractionDigits: least,
      maximumFractionDigits: places,
      numberingSystem: 'latn',
    });
    made.set(id, format);
  }
  return format;
}

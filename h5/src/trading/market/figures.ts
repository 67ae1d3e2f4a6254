/** Numbers that change ten times a second: cached Intl formatters instead of exact decimal text. */
import { currentLanguage, LANGUAGE_TAGS } from '@/lib/i18n';

const formatters = new Map<string, Intl.NumberFormat>();

function formatter(places: number, least: number): Intl.NumberFormat {
  const tag = LANGUAGE_TAGS[currentLanguage()];
  const id = `${tag} ${places} ${least}`;
  const known = formatters.get(id);
  if (known) return known;
  const made = new Intl.NumberFormat(tag, {
    minimumFractionDigits: least,
    maximumFractionDigits: places,
    numberingSystem: 'latn',
  });
  formatters.set(id, made);
  return made;
}

export function quickPrice(value: number, places: number): string {
  return formatter(places, places).format(value);
}

/** A book's or trade's size: all places while small, thousands with K, millions with M, so that columns stay narrow. */
export function quickSize(value: number, places: number): string {
  if (value >= 1_000_000) return `${formatter(2, 2).format(value / 1_000_000)}M`;
  if (value >= 10_000) return `${formatter(2, 2).format(value / 1_000)}K`;
  const shown = Math.max(0, Math.min(places, value >= 1_000 ? 2 : value >= 100 ? 3 : places));
  return formatter(shown, shown).format(value);
}

/** 24 h volumes: three significant decimals at most. */
export function quickVolume(value: number): string {
  if (value >= 1_000_000_000) return `${formatter(2, 2).format(value / 1_000_000_000)}B`;
  if (value >= 1_000_000) return `${formatter(2, 2).format(value / 1_000_000)}M`;
  if (value >= 1_000) return `${formatter(2, 2).format(value / 1_000)}K`;
  return formatter(2, 0).format(value);
}

/** Decimal places that a grouping or tick shows: 0.1 -> 1, 10 -> 0. */
export function placesOf(unit: number): number {
  const text = unit.toFixed(10).replace(/0+$/, '');
  return text.split('.')[1]?.length ?? 0;
}

const clocks = new Map<string, Intl.DateTimeFormat>();

/** HH:MM:SS in the reader's zone. */
export function clockTime(ms: number): string {
  const tag = LANGUAGE_TAGS[currentLanguage()];
  let format = clocks.get(tag);
  if (!format) {
    format = new Intl.DateTimeFormat(tag, {
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
      numberingSystem: 'latn',
    });
    clocks.set(tag, format);
  }
  return format.format(ms);
}

/** Groupings on offer: powers of ten times the tick, up to about half a percent of the price. */
export function groupings(tick: number, price: number): number[] {
  const found = [tick];
  for (let factor = 10; factor <= 1_000_000; factor *= 10) {
    const grouping = Number((tick * factor).toPrecision(12));
    if (grouping > price * 0.005) break;
    found.push(grouping);
  }
  return found;
}

import { trimZeros } from '@/lib/decimalText';
import { grouped, setPrecision } from '@/lib/format';

/** A wait in hours, as a text says it: 24, 1.5. */
export const hoursOf = (seconds: number): string => grouped(trimZeros(setPrecision(seconds / 3_600, 1)));

/**
 * Percent as people write it, and parts per million as the calls have it.
 *
 * Owns: the conversion, digit by digit. Never does: round. Invariants: what one function writes the other one reads.
 */
import { parseDecimal, trimZeros } from '@/lib/decimalText';

/** One part per million is the last of them. */
const PLACES = 4;
const WHOLE_PPM = 1_000_000n;

/** `0.1` -> 1000. Null: no plain decimal, more than four decimals, or more than 100. */
export function ppmOf(percent: string): number | null {
  const parsed = parseDecimal(percent);
  if (!parsed || percent.startsWith('-') || parsed.scale > PLACES) return null;
  const ppm = parsed.units * 10n ** BigInt(PLACES - parsed.scale);
  return ppm <= WHOLE_PPM ? Number(ppm) : null;
}

/** 1000 -> `0.1`. */
export function percentOf(ppm: number): string {
  const digits = String(ppm).padStart(PLACES + 1, '0');
  return trimZeros(`${digits.slice(0, -PLACES)}.${digits.slice(-PLACES)}`);
}

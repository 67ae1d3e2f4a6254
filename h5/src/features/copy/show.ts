/** How figures of traders and copies are written. */
import type { TFunction } from 'i18next';
import { directionOf, formatAmount, formatChange, formatDateTime } from '@/lib/format';
import { signedMoney } from '@/lib/signedMoney';

type Translate = TFunction<'copy'>;

/** Signed money with its colour. */
export const gain = (amount: string) => ({ text: signedMoney(amount), tone: directionOf(amount) });

/** A signed percentage with its colour. */
export const change = (percent: string) => ({ text: formatChange(percent), tone: directionOf(percent) });

interface Position {
  type: 1 | 2;
  symbol: string;
  share: string;
}

export const positionText = ({ type, symbol, share }: Position, t: Translate): string =>
  t('position', { direction: t(type === 1 ? 'long' : 'short'), pair: symbol, lots: formatAmount(share) });

/** When the figures were made, and of which record. */
export const asOf = ({ updated_ms, lsn }: { updated_ms: number; lsn: number }, t: Translate): string =>
  t('asOf', { time: formatDateTime(updated_ms), lsn: formatAmount(lsn) });

/** The prices of options that the chart shows: the index, and where each open one was entered. Pure. */
import type { TFunction } from 'i18next';
import { clockTime, formatAmount } from '@/lib/format';
import { marketSymbol } from '@/lib/market';
import type { PriceLine } from '@/trading';
import type { Option } from './api/options';
import { sideName } from './state';

/** More lines than these say nothing any more. */
const MOST = 6;

export function optionLines(
  options: readonly Option[],
  symbol: string,
  index: number | undefined,
  t: TFunction<'seconds'>,
): PriceLine[] {
  const lines = options
    .filter(({ symbol_name }) => marketSymbol(symbol_name) === marketSymbol(symbol))
    .slice(0, MOST)
    .map(
      ({ id, type, number, expires_ms, open_price }): PriceLine => ({
        key: `option ${id}`,
        price: Number(open_price),
        title: `${sideName(type, t)} ${formatAmount(number)} · ${clockTime(expires_ms)}`,
        tone: type === 1 ? 'up' : 'down',
      }),
    );
  if (!index) return lines;
  return [{ key: 'index', price: index, title: t('stats.index'), tone: 'base' }, ...lines];
}

/** What a reader of charts has chosen. It stays on the device; a choice that this version does not know is dropped. */
import { PERIODS, type Period } from '@/lib/market';
import { atom, chartIndicatorsAtom, chartPeriodAtom } from '@/lib/state';
import { type Indicator, OVERLAYS, PANES } from './plan';

export type PeriodChoice = Period | 'line';

export const PERIOD_CHOICES: readonly PeriodChoice[] = ['line', ...PERIODS];
const INDICATORS: readonly Indicator[] = [...OVERLAYS, ...PANES];

export const periodAtom = atom(
  (get): PeriodChoice => PERIOD_CHOICES.find((choice) => choice === get(chartPeriodAtom)) ?? '15m',
  (_get, set, choice: PeriodChoice) => set(chartPeriodAtom, choice),
);

export const indicatorsAtom = atom(
  (get): ReadonlySet<Indicator> => {
    const kept = get(chartIndicatorsAtom);
    return new Set(INDICATORS.filter((name) => kept.includes(name)));
  },
  (_get, set, chosen: ReadonlySet<Indicator>) => set(chartIndicatorsAtom, [...chosen]),
);

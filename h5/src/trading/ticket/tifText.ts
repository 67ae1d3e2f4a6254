import type { TFunction } from 'i18next';
import type { TimeInForce } from './kinds';

type Translate = TFunction<['trade', 'stock']>;

/** How long an order stays. DAY is of stocks alone. */
export const tifText = (tif: TimeInForce, t: Translate): string =>
  tif === 'DAY' ? t('stock:tif.DAY') : t(`ticket.tif.${tif}`);

export const tifNote = (tif: TimeInForce, t: Translate): string =>
  tif === 'DAY' ? t('stock:tif.DAYNote') : t(`ticket.tif.${tif}Note`);

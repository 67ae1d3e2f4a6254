import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { formatAmount } from '@/lib/format';
import { usePrivateEvents } from '@/lib/market';
import { toast } from '@/lib/toast';
import { actionsKey } from '../api/stock';

/** Tells what a split or a dividend made of a holding the moment it happens. */
export function useStockActions(): void {
  const { t } = useTranslation('stock');
  const client = useQueryClient();
  usePrivateEvents((event) => {
    if (event.event !== 'stock_action') return;
    const { kind, symbol, asset, ...figures } = event.action;
    const [before, after] = [formatAmount(figures.before), formatAmount(figures.after)];
    const [cash, withheld] = [formatAmount(figures.cash), formatAmount(figures.withheld)];
    const text =
      kind === 'dividend'
        ? t('event.dividend', { symbol, cash, asset, withheld })
        : Number(figures.cash) > 0
          ? t('event.splitCash', { symbol, before, after, cash, asset })
          : t('event.split', { symbol, before, after });
    toast(text, 'info', { long: true });
    void client.invalidateQueries({ queryKey: actionsKey });
  });
}

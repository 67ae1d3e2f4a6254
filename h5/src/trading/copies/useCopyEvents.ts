import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { PATHS } from '@/config/paths';
import { COPY_LISTS, traderName } from '@/lib/api/copies';
import { formatAmount } from '@/lib/format';
import { usePrivateEvents } from '@/lib/market';
import { toast } from '@/lib/toast';

/** Tells of copies that were skipped and of shares that were paid the moment it happens, and reads the lists again. */
export function useCopyEvents(): void {
  const { t } = useTranslation('copy');
  const client = useQueryClient();
  usePrivateEvents((event) => {
    switch (event.event) {
      case 'copy_skipped':
      case 'profit_shared':
      case 'copy_opened':
      case 'copy_closed':
        break;
      default:
        return;
    }
    for (const queryKey of COPY_LISTS) void client.invalidateQueries({ queryKey });
    if (event.event === 'copy_skipped') {
      const way = { label: t('event.why'), path: PATHS.followMine, query: { tab: 'skips' } };
      void traderName(client, event.trader).then((trader) =>
        toast(t('event.skipped', { trader }), 'info', { long: true, way }),
      );
    } else if (event.event === 'profit_shared') {
      const [share, released] = [formatAmount(event.share), formatAmount(event.released)];
      void traderName(client, event.trader).then((trader) =>
        toast(t('event.shared', { trader, share, released }), 'info', { long: true }),
      );
    }
  });
}

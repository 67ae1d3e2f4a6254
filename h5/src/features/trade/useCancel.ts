import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { OrderRow } from '@/lib/market';
import { toast } from '@/lib/toast';
import { cancelOrder } from './api/account';
import { historyKey } from './api/history';

function cancelledWord(orders: number): 'cancelled' | 'cancelledBoth' | 'cancelledThree' {
  if (orders > 2) return 'cancelledThree';
  return orders === 2 ? 'cancelledBoth' : 'cancelled';
}

/** Cancelling single orders: which ones are on their way, and the lists that must hear of it. */
export function useCancel() {
  const { t } = useTranslation('trade');
  const client = useQueryClient();
  const [running, setRunning] = useState<ReadonlySet<number>>(new Set());
  const cancel = useCallback(
    async (order: OrderRow) => {
      setRunning((ids) => new Set(ids).add(order.id));
      const reply = await cancelOrder(order.id);
      setRunning((ids) => new Set([...ids].filter((id) => id !== order.id)));
      if (reply.ok) toast.success(t(`orders.${cancelledWord(reply.data?.ids.length ?? 1)}`));
      // Refused means that the order changed meanwhile: look again either way.
      void client.invalidateQueries({ queryKey: ['trade'] });
      void client.invalidateQueries({ queryKey: historyKey });
    },
    [client, t],
  );
  return { cancel, running };
}

import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Reply } from '@/lib/api/client';
import { useConnection } from '@/lib/market';
import { toast } from '@/lib/toast';
import { cancelTicket, closeAll, closeTicket, setStops } from './api/manage';
import { historyKey } from './api/tickets';

/** What is done to tickets: which ones are on their way, and the lists that must hear of it. */
export function useManage() {
  const { t } = useTranslation('contract');
  const client = useQueryClient();
  const { privateLive } = useConnection();
  const [running, setRunning] = useState<ReadonlySet<number>>(new Set());
  const [busy, setBusy] = useState(false);

  const settle = useCallback(() => {
    // Refused means that it changed meanwhile: look again either way.
    void client.invalidateQueries({ queryKey: ['contract'] });
    void client.invalidateQueries({ queryKey: historyKey });
  }, [client]);

  const one = useCallback(
    async (id: number, ask: (id: number) => Promise<Reply<string, unknown>>, said: string | undefined) => {
      setRunning((ids) => new Set(ids).add(id));
      const reply = await ask(id);
      setRunning((ids) => new Set([...ids].filter((other) => other !== id)));
      if (reply.ok && said) toast.success(said);
      settle();
      return reply.ok;
    },
    [settle],
  );

  async function together(ask: () => Promise<Reply<string, unknown>>, said: string | undefined): Promise<boolean> {
    setBusy(true);
    const reply = await ask();
    setBusy(false);
    if (reply.ok && said) toast.success(said);
    settle();
    return reply.ok;
  }

  return {
    running,
    busy,
    // What ended is told by its event, with its numbers; without events somebody must say so.
    close: (id: number) => one(id, closeTicket, privateLive ? undefined : t('close.done')),
    cancel: (id: number) => one(id, cancelTicket, t('close.cancelled')),
    setStops: (fields: Parameters<typeof setStops>[0]) => together(() => setStops(fields), t('stops.saved')),
    closeAll: (fields: Parameters<typeof closeAll>[0]) =>
      together(() => closeAll(fields), privateLive ? undefined : t('close.allDone')),
  };
}

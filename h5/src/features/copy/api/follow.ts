/** Following a trader, and becoming one. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { command, fetchMessage } from '@/lib/api/client';
import { COPY_KEY } from '@/lib/api/copies';
import { pagedKey } from '@/lib/api/paged';
import { requestKey } from '@/lib/api/requestKey';
import {
  type FollowApplication,
  type FollowFollowFields,
  followApply,
  followApplyState,
  followCancel,
  followFollow,
  followIndex,
} from '@/lib/api/schema/followCalls';
import { useToken } from '@/lib/session';

export type { FollowApplication };

/** What is asked of the server; while one is on its way, and the lists that must hear of it. */
export function useFollowing() {
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const run = useCallback(
    async (ask: () => Promise<{ ok: boolean }>): Promise<boolean> => {
      setBusy(true);
      const reply = await ask();
      // Refused means that it changed meanwhile: look again either way.
      for (const queryKey of [COPY_KEY, pagedKey(followIndex)]) void client.invalidateQueries({ queryKey });
      setBusy(false);
      return reply.ok;
    },
    [client],
  );
  return {
    busy,
    /** A second time it is an edit. */
    follow: (fields: FollowFollowFields) => run(() => command(followFollow, fields, { key: requestKey() })),
    cancel: (trader: number) => run(() => command(followCancel, { follow_user_id: trader }, { key: requestKey() })),
    apply: (intro: string) => run(() => command(followApply, { intro }, { key: requestKey() })),
  };
}

export function useApplication() {
  const token = useToken();
  return useQuery({
    queryKey: [...COPY_KEY, 'application'],
    queryFn: ({ signal }) => fetchMessage(followApplyState, {}, signal),
    enabled: token !== '',
    meta: { private: true },
  });
}

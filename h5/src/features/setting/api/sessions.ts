/** Everywhere the account is logged in. */
import { useQuery } from '@tanstack/react-query';
import { command, fetchMessage } from '@/lib/api/client';
import { sessionsList, sessionsRevoke, type UserSession } from '@/lib/api/schema/sessionsCalls';

export type { UserSession };

export const SESSIONS = ['sessions'] as const;

export function useSessions() {
  return useQuery({
    queryKey: SESSIONS,
    queryFn: ({ signal }) => fetchMessage(sessionsList, {}, signal),
    meta: { private: true },
  });
}

/** Ends sessions one after the other; whether all are ended. What was refused the user has been told. */
export async function endSessions(ids: readonly number[]): Promise<boolean> {
  for (const id of ids) if (!(await command(sessionsRevoke, { id })).ok) return false;
  return true;
}

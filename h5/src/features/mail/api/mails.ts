/** Messages as their pages ask for them, and what reading them changes of what is kept. */
import { type InfiniteData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { command, fetchMessage } from '@/lib/api/client';
import { countRead, LATEST_KEY, type MailUnread } from '@/lib/api/mail';
import { LISTS_KEY } from '@/lib/api/mailLists';
import { usePaged } from '@/lib/api/paged';
import { type MailRow, mailDetail, mailList, mailReadAll } from '@/lib/api/schema/mailCalls';
import { queryClient } from '@/lib/query';

export type { MailRow };

/** What has messages; the third kind, service, is answered elsewhere. */
export type MailKind = 'system' | 'notice';

const PER_PAGE = 20;

interface Page {
  rows: readonly MailRow[];
  full: boolean;
}

/** All kept rows, with what is known of them since they were told. */
function changeRows(change: (row: MailRow) => MailRow): void {
  queryClient.setQueriesData<InfiniteData<Page>>({ queryKey: LISTS_KEY }, (data) =>
    data ? { ...data, pages: data.pages.map((page) => ({ ...page, rows: page.rows.map(change) })) } : data,
  );
}

/** A message that came meanwhile moves the others on by one: the last of a page is also the first of the next. */
function eachOnce(rows: readonly MailRow[]): MailRow[] {
  return [...new Map(rows.map((row) => [row.id, row])).values()];
}

export function useMails(kind: MailKind) {
  const list = usePaged(mailList, { kind }, ({ list: rows }) => rows, PER_PAGE);
  const rows = useMemo(() => list.rows && eachOnce(list.rows), [list.rows]);
  return { ...list, rows };
}

/** The newest message of a kind; null when there is none. */
export function useLatest(kind: MailKind) {
  return useQuery({
    queryKey: [...LATEST_KEY, kind],
    queryFn: async ({ signal }) => (await fetchMessage(mailList, { kind, page: 1, limit: 1 }, signal)).list[0] ?? null,
    meta: { private: true },
  });
}

/** One message. The server notes that it was read, and so do the lists and the number at the bell. */
export function useMail(kind: MailKind, id: string) {
  return useQuery({
    queryKey: ['mail', kind, id],
    queryFn: async ({ signal }) => {
      const before = keptRow(kind, id);
      const row = await fetchMessage(mailDetail, { id, kind }, signal);
      changeRows((kept) => (kept.id === id && kept.kind === row.kind ? { ...kept, is_read: 1 } : kept));
      const one = before?.is_read === 0 ? 1 : 0;
      countRead((unread) => ({ ...unread, [kind]: Math.max(0, unread[kind] - one) }));
      return row;
    },
    staleTime: 5 * 60_000,
    meta: { private: true },
  });
}

function keptRow(kind: MailKind, id: string): MailRow | undefined {
  const lists = queryClient.getQueriesData<InfiniteData<Page>>({ queryKey: LISTS_KEY });
  return lists
    .flatMap(([, data]) => data?.pages ?? [])
    .flatMap(({ rows }) => rows)
    .find((row) => row.id === id && row.kind === kind);
}

const NONE: MailUnread = { service: 0, system: 0, notice: 0 };

/** Marks all messages of a kind, or of all kinds, as read. */
export async function readAll(kind?: MailKind): Promise<void> {
  const reply = await command(mailReadAll, kind ? { kind } : {});
  if (!reply.ok) return;
  changeRows((row) => (kind === undefined || row.kind === kind ? { ...row, is_read: 1 } : row));
  countRead((unread) => (kind ? { ...unread, [kind]: 0 } : NONE));
}

/** Everything about messages that is on the screen, once more. */
export function useAskAgain(): () => Promise<unknown> {
  const client = useQueryClient();
  return () => client.refetchQueries({ type: 'active', predicate: ({ meta }) => meta?.private === true });
}

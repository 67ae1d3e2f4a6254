/**
 * How many messages nobody has read, for every place that shows it, and what makes the app ask again: a login, a return
 * to the app, the event `mail`, and messages that are read here.
 */
import { useQuery } from '@tanstack/react-query';
import { queryClient } from '../query';
import { currentToken, useToken } from '../session';
import { fetchMessage } from './client';
import { type MailUnread, mailUnread } from './schema/mailCalls';

export type { MailUnread };

export const UNREAD_KEY = ['mailUnread'] as const;

/** The newest message of each kind. */
export const LATEST_KEY = ['mailLatest'] as const;

/** Undefined for guests, and until the server has said it. */
export function useUnread(): MailUnread | undefined {
  const token = useToken();
  const { data } = useQuery({
    queryKey: UNREAD_KEY,
    queryFn: ({ signal }) => fetchMessage(mailUnread, {}, signal),
    // Asked anew when it is due: between a logout and the next drawing nobody is left to ask for.
    enabled: token !== '' && (() => currentToken() === token),
    // However short the absence was: messages come at any moment.
    refetchOnWindowFocus: 'always',
    meta: { private: true },
  });
  return token === '' ? undefined : data;
}

/** Of all kinds together; each counts up to 100, so from 100 on it is "at least". */
export const unreadIn = (unread: MailUnread | undefined): number =>
  unread ? unread.service + unread.system + unread.notice : 0;

/** What was read here counts at once; the server is asked all the same. */
export function countRead(change: (unread: MailUnread) => MailUnread): void {
  queryClient.setQueryData<MailUnread>(UNREAD_KEY, (unread) => unread && change(unread));
  void queryClient.invalidateQueries({ queryKey: UNREAD_KEY });
}

/** Apart from `mail.ts`, which the shell has: lists that come page by page do not belong there. */
import { pagedKey } from './paged';
import { mailList } from './schema/mailCalls';

/** Lists of messages, of any kind. */
export const LISTS_KEY = pagedKey(mailList);

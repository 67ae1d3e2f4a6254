/** The private event of messages: there is something new. It may belong to a fact of the account, or to none. */
import { isObject } from '../decode';
import type { EventKinds } from '../productEvents';

declare module '../types' {
  interface ProductEvents {
    mail: { kind: string };
  }
}

export const events: EventKinds<'mail'> = {
  mail: {
    unnumbered: 'sometimes',
    read: (data) => (isObject(data) && typeof data.kind === 'string' ? { kind: data.kind } : undefined),
  },
};

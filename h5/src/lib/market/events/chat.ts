/** The private events of live service: hints that something was said, was read, or is being typed; none has a number. */
import { isObject } from '../decode';
import type { EventKinds } from '../productEvents';

declare module '../types' {
  interface ProductEvents {
    chat: { id: number };
    chat_read: { id: number };
    chat_typing: { id: number };
  }
}

const read = (data: unknown) => (isObject(data) && typeof data.id === 'number' ? { id: data.id } : undefined);

export const events: EventKinds<'chat' | 'chat_read' | 'chat_typing'> = {
  chat: { unnumbered: true, read },
  chat_read: { unnumbered: true, read },
  chat_typing: { unnumbered: true, read },
};

/** The private event of coupons: one came, was used, or was taken back. Rule: docs/rules/realtime.md "Private events". */
import { integer, isObject } from '../decode';
import type { EventKinds } from '../productEvents';

declare module '../types' {
  interface ProductEvents {
    coupon: { id: number };
  }
}

export const events: EventKinds<'coupon'> = {
  coupon: {
    read(data) {
      const id = isObject(data) ? integer(data.id) : undefined;
      return id === undefined ? undefined : { id };
    },
  },
};

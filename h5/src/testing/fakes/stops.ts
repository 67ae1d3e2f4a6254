/** What `coin/stop` and `coin/oco` ask of the fake desk: the legs of a form, or why they are refused. Mirrors the gateway's. */

import type { Order } from '../../lib/api/schema/shared';
import { Refusal } from './call.ts';

type TriggerName = NonNullable<Order['trigger']>;

export interface Leg {
  order_type: 'limit' | 'market';
  target_price: number;
  /** undefined: rests in the book. */
  trigger: { name: TriggerName; price: number; trailBips: number } | undefined;
  /** Of what is paid with. */
  lock: number;
}

/** Percent that a buy at market locks beyond its price. */
export const PROTECTION_PERCENT = 5;
const PROTECTED = 1 + PROTECTION_PERCENT / 100;

const number = (form: URLSearchParams, name: string) => Number(form.get(name) ?? 0);

/** A price is reached from below by what buys to stop a loss and by what sells to take a profit. */
const rises = (buy: boolean, name: TriggerName) => (name === 'stop_loss') === buy;

function leg(form: URLSearchParams, name: TriggerName, price: number, last: number): Leg {
  const [buy, amount] = [form.get('type') === '1', number(form, 'amount')];
  const trailBips = Math.round(number(form, 'trail') * 100);
  const at = number(form, 'trigger_price');
  const bought = price > 0 ? price : (at || last) * (1 + trailBips / 10_000) * PROTECTED;
  return {
    order_type: price > 0 ? 'limit' : 'market',
    target_price: price,
    trigger: { name, price: at, trailBips },
    lock: buy ? amount * bought : amount,
  };
}

export function stopLegs(form: URLSearchParams, last: number): Leg[] {
  const name = form.get('trigger') ?? '';
  if (name !== 'stop_loss' && name !== 'take_profit') throw new Refusal(1001, 'trigger: stop_loss or take_profit');
  const made = leg(form, name, number(form, 'target_price'), last);
  const { price, trailBips } = made.trigger ?? { price: 0, trailBips: 0 };
  if (trailBips === 0 && price === 0) throw new Refusal(1001, 'Trigger price or distance is not possible');
  if (trailBips !== 0 && (trailBips < 10 || trailBips > 2_000)) throw new Refusal(1001, 'Distance is not possible');
  const reached = rises(form.get('type') === '1', name) ? last >= price : last <= price;
  if (trailBips === 0 && reached) throw new Refusal(1004, 'Order would trigger immediately');
  return [made];
}

export function listLegs(form: URLSearchParams, last: number): Leg[] {
  const [buy, target, trigger] = [
    form.get('type') === '1',
    number(form, 'target_price'),
    number(form, 'trigger_price'),
  ];
  const [above, below] = buy ? [trigger, target] : [target, trigger];
  if (!(above > last && below < last && below > 0)) {
    throw new Refusal(1001, 'The prices of the two orders must lie on both sides of the market price');
  }
  const stop = leg(form, 'stop_loss', number(form, 'stop_price'), last);
  const amount = number(form, 'amount');
  const first = buy ? amount * target : amount;
  const rests: Leg = { order_type: 'limit', target_price: target, trigger: undefined, lock: first };
  return [rests, { ...stop, lock: Math.max(0, stop.lock - first) }];
}

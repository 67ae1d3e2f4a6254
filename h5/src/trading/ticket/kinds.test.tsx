/** Proves of each row of the table that it has its texts in every language and that the form asks for its fields. */
import { QueryClientProvider } from '@tanstack/react-query';
import { render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { createRef } from 'react';
import { describe, expect, test } from 'vitest';
import { PATHS } from '@/config/paths';
import { Decimal } from '@/lib/decimal';
import { LANGUAGES } from '@/lib/i18n';
import { queryClient } from '@/lib/query';
import english from '@/locales/en/trade.json';
import { installMarket } from '@/testing/fakes/port';
import { FakeRealtime } from '@/testing/fakes/realtime';
import { rules } from '@/testing/ticket';
import {
  asks,
  KINDS,
  type Kind,
  kindOf,
  kindOfRow,
  ORDER_KINDS,
  type OrderFields,
  type OrderKind,
  type Sent,
} from './kinds';
import { TicketForm } from './TicketForm';

type Texts = { ticket: Record<string, unknown> };

const files = import.meta.glob<Texts>('../../locales/*/trade.json', { eager: true, import: 'default' });
const realtime = new FakeRealtime();
installMarket(() => realtime);

const nothing = { base: new Decimal(0), quote: new Decimal(0), known: true };

async function openForm(kind: OrderKind): Promise<void> {
  const user = userEvent.setup();
  render(
    <QueryClientProvider client={queryClient}>
      <TicketForm
        rules={rules}
        funds={nothing}
        usePlace={() => ({ phase: 'idle', send: async () => null })}
        page={PATHS.currency}
        transferLabel="Transfer"
        marketStatus="open"
        bookKey=""
        handle={createRef()}
        onPlaced={() => {}}
      />
    </QueryClientProvider>,
  );
  await user.click(screen.getByRole('button', { name: /^Order type/ }));
  const { [kind]: name, [`${kind}Note`]: note } = english.ticket as unknown as Record<string, string>;
  await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: `${name}${note}` }));
}

describe.each(ORDER_KINDS)('%s', (kind) => {
  const row = kindOf({ kind });

  test.each(LANGUAGES)('has its texts in %s', (language) => {
    const texts = files[`../../locales/${language}/trade.json`]?.ticket ?? {};
    const keys = [kind, `${kind}Note`, ...row.fields.map(({ label }) => label)];
    expect(keys.filter((key) => typeof texts[key] !== 'string')).toEqual([]);
  });

  test('is offered, and the form asks for its fields and no others', async () => {
    await openForm(kind);
    const labels = row.fields.map(({ label }) => english.ticket[label]);
    const asked = screen.getAllByRole('textbox').map((input) => (input as HTMLInputElement).labels?.[0]?.textContent);
    const quantities = row.total === 'follows' ? ['Amount (BTC)', 'Total (USDT)'] : ['Amount (BTC)'];
    const unit = { price: ' (USDT)', trigger: ' (USDT)', stop: ' (USDT)', trail: ' (%)' };
    const expected = row.fields.map(({ field, optional }, index) => labels[index] + (optional ? '' : unit[field]));
    expect(asked).toEqual([...expected, ...quantities]);
  });

  test('what its rows and its steps need is asked for', () => {
    if (row.pair) expect([asks(row, 'price'), asks(row, 'trigger')]).toEqual([true, true]);
    expect(row.steps.length > 0).toBe(row.waits);
    expect(row.steps.some(({ says }) => says === 'turned')).toBe(asks(row, 'trail'));
  });
});

test('every order of a list is of exactly one kind, and a list of two is none by itself', () => {
  const found = new Set<OrderKind>();
  for (const order_type of ['limit', 'market'] as const)
    for (const trigger of [null, 'stop_loss', 'take_profit'] as const)
      for (const trail of trigger ? [0, 150] : [0]) {
        const order = { order_type, trigger, trail };
        expect(ORDER_KINDS.filter((kind) => kindOf({ kind }).is?.(order))).toEqual([kindOfRow(order)]);
        found.add(kindOfRow(order));
      }
  expect([...found].sort()).toEqual(ORDER_KINDS.filter((kind) => !KINDS[kind].pair).sort());
});

test('fields that a call does not take do not compile', () => {
  // @ts-expect-error: a word that is no field of the call.
  const unknown: Sent<'trade'> = { amount: '1', target: '2' };
  // @ts-expect-error: a field of another call.
  const foreign: Sent<'oco'> = { amount: '1', target_price: '2', trail: '1' };
  // @ts-expect-error: a field that the call wants is missing.
  const short: Sent<'stop'> = { amount: '1' };
  // @ts-expect-error: one call, sent what another one takes.
  const mixed: Kind = { ...KINDS.trailing, call: 'oco' };
  // @ts-expect-error: a trigger, in the call for orders that do not wait.
  const whole: OrderFields<'trade'> = { currency_id: 1, legal_id: 3, type: 1, trigger: 'stop_loss' };
  expect([unknown, foreign, short, mixed, whole]).toHaveLength(5);
});

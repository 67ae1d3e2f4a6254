import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { PASSWORD } from '@/testing/fakes/call.ts';
import { CODES } from '@/testing/fakes/safe.ts';
import { currentHash, freshBackend, open, pressable } from '@/testing/renderApp';

const BANK = '/pages/setting/bank';
const ABROAD = '/pages/setting/bank_international';
const world = freshBackend();
const sent = (path: string) => world.backend.requests.filter((request) => request.path === path);
/** A button takes one press a second. */
const again = () => new Promise((resolve) => setTimeout(resolve, 1000));

const DOMESTIC = {
  'Account holder': 'Anna Weber',
  'Bank name': 'A bank',
  'Province and city': 'Berlin',
  'ABA number': '021000021',
  'SWIFT code': 'DEUTDEFF',
  'Account holder’s address': 'A street 1',
  Branch: 'Mitte',
  Phone: '+49 30 123456',
};

test('a card is saved by the password once its account number is right, shown masked, and changed', async () => {
  const { user } = open('/pages/setting/setting', { member: true });
  await user.click(await screen.findByRole('button', { name: /^Bank cards/ }));
  await waitFor(() => expect(currentHash()).toBe(BANK));
  const account = await screen.findByLabelText('Card or account number');
  await user.click(await pressable('Save'));
  expect(screen.getAllByText('Please fill in this field')).toHaveLength(9);
  for (const [label, text] of Object.entries(DOMESTIC)) await user.type(screen.getByLabelText(label), text);
  await user.type(account, 'DE88 3704 0044 0532 0130 00');
  await user.type(screen.getByLabelText('Payment password'), PASSWORD);
  expect(await screen.findByText('This IBAN is not valid. Please check it.')).toBeInTheDocument();
  await again();
  await user.click(await pressable('Save'));
  expect(sent('/user/cash_save')).toHaveLength(0);
  await user.clear(account);
  await user.type(account, 'DE89 3704 0044 0532 0130 00');
  await again();
  await user.click(await pressable('Save'));
  expect(await screen.findByText('•••• 3000')).toBeInTheDocument();
  expect(screen.getByText('•••• 3456')).toBeInTheDocument();
  expect(screen.queryByText(/DE89/)).not.toBeInTheDocument();
  await user.click(await pressable('Change card'));
  expect(await screen.findByLabelText('Card or account number')).toHaveValue('');
  await user.click(await pressable('Cancel'));
  expect(await screen.findByText('Anna Weber')).toBeInTheDocument();
});

test('an international card has the fields that the server names, is confirmed by a factor, and is removed', async () => {
  world.backend.safe.turnOn();
  const { user } = open(BANK, { member: true });
  await user.click(await screen.findByRole('tab', { name: 'International' }));
  await waitFor(() => expect(currentHash()).toBe(ABROAD));
  const texts = ['Anna Weber', '123456789', 'DEUTDEFF', 'A bank', 'A road 2', 'Germany', 'A street 1', '030 123456'];
  const labels = [
    'Account holder',
    'IBAN or account number',
    'SWIFT code (BIC)',
    'Bank name',
    'Bank address',
    'Country',
  ];
  labels.push('Account holder’s address', 'Phone');
  for (const [at, label] of labels.entries()) await user.type(await screen.findByLabelText(label), texts[at] ?? '');
  await user.type(screen.getByLabelText('Authenticator code'), CODES[0]);
  await user.click(await pressable('Save'));
  expect(await screen.findByText('•••• 6789')).toBeInTheDocument();
  expect(JSON.parse(sent('/user/cash_save_international')[0]?.params.data ?? '')).toEqual(texts);
  await user.click(await pressable('Remove card'));
  const dialog = await screen.findByRole('dialog', { name: 'Remove this card?' });
  await user.click(within(dialog).getByRole('button', { name: 'Remove card' }));
  expect(await screen.findByLabelText('Account holder')).toBeInTheDocument();
  expect(world.backend.cards.international).toBeNull();
});

test('a field that the server refuses is told there', async () => {
  world.backend.override('/user/cash_save', () => ({
    status: 200,
    body: { type: 'error', code: 1001, message: 'Parameter error: bank_account', errors: { bank_account: 'taken' } },
    broken: true,
  }));
  const { user } = open(BANK, { member: true });
  const account = await screen.findByLabelText('Card or account number');
  for (const [label, text] of Object.entries(DOMESTIC)) await user.type(screen.getByLabelText(label), text);
  await user.type(account, '6222 0000 1111 2222');
  await user.type(screen.getByLabelText('Payment password'), PASSWORD);
  await user.click(await pressable('Save'));
  await waitFor(() => expect(account).toHaveAttribute('aria-invalid', 'true'));
  expect(screen.getByText('6 to 34 letters and digits')).toBeInTheDocument();
});

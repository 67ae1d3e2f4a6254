import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { isPhrase } from '@/features/setting/api/protection';
import { currentToken } from '@/lib/session';
import { PASSWORD } from '@/testing/fakes/call.ts';
import { CODES } from '@/testing/fakes/safe.ts';
import { currentHash, freshBackend, open, pressable } from '@/testing/renderApp';

const SECURITY = '/pages/setting/security';
const world = freshBackend();
const sent = (path: string) => world.backend.requests.filter((request) => request.path === path);
/** A button takes one press a second. */
const again = () => new Promise((resolve) => setTimeout(resolve, 1000));

test('sessions are listed, this one first, and another one is ended', async () => {
  const { user } = open(SECURITY, { member: true });
  await user.click(await screen.findByRole('button', { name: /^Active sessions/ }));
  await waitFor(() => expect(currentHash()).toBe('/pages/setting/security/sessions'));
  const rows = (await screen.findAllByText(/^198\.51\.100\./)).map((row) => row.textContent);
  expect(rows).toEqual(['198.51.100.1', '198.51.100.2', '198.51.100.3']);
  expect(screen.getByText('This device')).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'End the session from 198.51.100.1' })).not.toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'End the session from 198.51.100.3' }));
  const dialog = await screen.findByRole('dialog', { name: 'End this session?' });
  await user.click(within(dialog).getByRole('button', { name: 'End' }));
  await waitFor(() => expect(screen.queryByText('198.51.100.3')).not.toBeInTheDocument());
  expect(world.backend.safe.sessions.map(({ id }) => id)).toEqual([1, 2]);
});

test('all other sessions are ended at once', async () => {
  const { user } = open('/pages/setting/security/sessions', { member: true });
  await user.click(await screen.findByRole('button', { name: 'End all other sessions' }));
  const dialog = await screen.findByRole('dialog', { name: 'End all other sessions?' });
  await user.click(within(dialog).getByRole('button', { name: 'End' }));
  await waitFor(() => expect(world.backend.safe.sessions.map(({ id }) => id)).toEqual([1]));
  await waitFor(() => expect(screen.queryByText('198.51.100.2')).not.toBeInTheDocument());
});

test('the anti-phishing text is set by the password, shown, and removed', async () => {
  const { user } = open(SECURITY, { member: true });
  await user.click(await screen.findByRole('button', { name: /^Anti-phishing text/ }));
  await user.type(await screen.findByLabelText('Your text'), 'a-b');
  await user.click(await pressable('Save'));
  expect(await screen.findByText('Use 4 to 20 letters and digits, without spaces or symbols')).toBeInTheDocument();
  expect(sent('/safe/mail_phrase')).toHaveLength(0);
  await user.clear(screen.getByLabelText('Your text'));
  await user.type(screen.getByLabelText('Your text'), 'cherry7');
  await user.type(screen.getByLabelText('Payment password'), PASSWORD);
  await again();
  await user.click(await pressable('Save'));
  await waitFor(() => expect(currentHash()).toBe(SECURITY));
  expect(await screen.findByText('cherry7')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: /^Anti-phishing text/ }));
  expect(await screen.findByLabelText('Your text')).toHaveValue('cherry7');
  await user.type(screen.getByLabelText('Payment password'), PASSWORD);
  await user.click(await pressable('Remove'));
  await waitFor(() => expect(world.backend.safe.mailPhrase).toBeNull());
});

test('a text that the server refuses is told at its field, and a factor confirms another by its code', async () => {
  world.backend.safe.turnOn();
  const { user } = open('/pages/setting/security/mail-phrase', { member: true });
  const field = await screen.findByLabelText('Your text');
  await user.type(field, 'refused');
  await user.type(await screen.findByLabelText('Authenticator code'), CODES[0]);
  await user.click(await pressable('Save'));
  await waitFor(() => expect(field).toHaveAttribute('aria-invalid', 'true'));
  expect(screen.getByText('Use 4 to 20 letters and digits, without spaces or symbols')).toBeInTheDocument();
  await user.clear(field);
  await user.type(field, 'cherry7');
  await user.type(screen.getByLabelText('Authenticator code'), CODES[0]);
  await again();
  await user.click(await pressable('Save'));
  await waitFor(() => expect(world.backend.safe.mailPhrase).toBe('cherry7'));
  expect(sent('/safe/mail_phrase')[1]?.params).not.toHaveProperty('pay_password');
});

test.each([
  ['abcd', true],
  ['早上好呀', true],
  ['น้ำตก12', true],
  ['cafe\u0301', true],
  ['đồngNai', true],
  ['abc', false],
  ['a b c d', false],
  ['<b>bold', false],
  ['a'.repeat(21), false],
  ['\u3164\u3164\u3164\u3164', false],
])('an anti-phishing text is letters and digits: %s', (text, good) => {
  expect(isPhrase(text)).toBe(good);
});

test('one’s own account is locked after a question, and the session ends', async () => {
  const { user } = open(SECURITY, { member: true });
  await user.click(await screen.findByRole('button', { name: /^Lock my account/ }));
  const dialog = await screen.findByRole('dialog', { name: 'Lock your account?' });
  expect(world.backend.safe.isLocked).toBe(false);
  await user.click(within(dialog).getByRole('button', { name: 'Lock now' }));
  await waitFor(() => expect(currentToken()).toBe(''));
  expect(world.backend.safe.isLocked).toBe(true);
  await waitFor(() => expect(currentHash()).toBe('/pages/index/index'));
});

/** The passwords for payments and of the login. */
import { screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { currentToken } from '@/lib/session';
import { CODES } from '@/testing/fakes/safe.ts';
import { currentHash, freshBackend, open, pressable } from '@/testing/renderApp';

const world = freshBackend();
const sent = (path: string) => world.backend.requests.filter((request) => request.path === path);
/** A button takes one press a second. */
const again = () => new Promise((resolve) => setTimeout(resolve, 1000));

const PAY = '/pages/setting/payPassword';

async function fill(user: ReturnType<typeof open>['user'], code: string, password: string, repeat = password) {
  for (const [label, text] of [
    ['Verification code', code],
    ['Payment password', password],
    ['Confirm password', repeat],
  ] as const) {
    const field = await screen.findByLabelText(label);
    await user.clear(field);
    await user.type(field, text);
  }
}

test('the password for payments is set by a code to the own contact', async () => {
  const { user } = open('/pages/setting/security', { member: true });
  await user.click(await screen.findByRole('button', { name: /Payment password/ }));
  await waitFor(() => expect(currentHash()).toBe(PAY));
  await user.click(await pressable('Send code'));
  expect(await screen.findByText('Sent successfully')).toBeInTheDocument();
  expect(sent('/sms_mail')[0]?.params).toMatchObject({ user_string: 'demo@example.com', type: 'pay' });
  await fill(user, '12', 'short', 'other');
  await user.click(await pressable('Set payment password'));
  expect(screen.getByText('The code has six digits')).toBeInTheDocument();
  expect(screen.getByText('The password must be 7 to 64 characters long')).toBeInTheDocument();
  expect(screen.getByText('Passwords do not match')).toBeInTheDocument();
  expect(sent('/safe/update_password')).toHaveLength(0);
  await fill(user, '000000', 'another-one-1');
  await again();
  await user.click(await pressable('Set payment password'));
  expect(await screen.findByText('Verification code error')).toBeInTheDocument();
  await fill(user, '123456', 'another-one-1');
  await again();
  await user.click(await pressable('Set payment password'));
  expect(await screen.findByText('Payment password set')).toBeInTheDocument();
  await waitFor(() => expect(currentHash()).toBe('/pages/setting/security'));
  expect(world.backend.safe.payPassword).toBe('another-one-1');
  expect(await screen.findByRole('button', { name: 'Payment password' })).toBeInTheDocument();
});

test('whoever has a phone alone enters it once more', async () => {
  world.backend.user = { ...world.backend.user, email: null, phone: '138****8000', area_code: '86' };
  const { user } = open(PAY, { member: true });
  const phone = await screen.findByLabelText('Phone');
  await user.type(phone, '123');
  await user.click(await pressable('Send code'));
  expect(await screen.findByText('Please enter a correct email or phone number')).toBeInTheDocument();
  await user.clear(phone);
  await user.type(phone, '13800138000');
  await again();
  await user.click(await pressable('Send code'));
  await waitFor(() => expect(sent('/sms_mail')).toHaveLength(1));
  expect(sent('/sms_mail')[0]?.params).toMatchObject({ user_string: '13800138000', area_code: '86', type: 'pay' });
});

test('the login password is changed by a code to the own contact, and all sessions end', async () => {
  const { user } = open('/pages/setting/security', { member: true });
  await user.click(await screen.findByRole('button', { name: /^Login password/ }));
  await waitFor(() => expect(currentHash()).toBe('/pages/setting/password'));
  await user.click(await pressable('Send code'));
  await waitFor(() => expect(sent('/sms_mail')).toHaveLength(1));
  expect(sent('/sms_mail')[0]?.params).toMatchObject({ user_string: 'demo@example.com', type: 'forget' });
  await user.type(screen.getByLabelText('Verification code'), '123456');
  await user.type(screen.getByLabelText('New login password'), 'another-one-1');
  await user.type(screen.getByLabelText('Confirm password'), 'another-one-1');
  await user.click(await pressable('Change password'));
  await waitFor(() => expect(currentToken()).toBe(''));
  expect(sent('/user/forget')[0]?.params).toMatchObject({
    account: 'demo@example.com',
    password: 'another-one-1',
    repassword: 'another-one-1',
    code: '123456',
  });
  await waitFor(() => expect(currentHash()).toBe('/pages/common/login'));
});

test('whoever has a second factor gives its code with another login password', async () => {
  world.backend.safe.turnOn();
  const { user } = open('/pages/setting/password', { member: true });
  const second = await screen.findByLabelText('Authenticator or recovery code');
  await user.type(screen.getByLabelText('Verification code'), '123456');
  await user.type(screen.getByLabelText('New login password'), 'another-one-1');
  await user.type(screen.getByLabelText('Confirm password'), 'another-one-1');
  await user.click(await pressable('Change password'));
  expect(sent('/user/forget')).toHaveLength(0);
  await user.type(second, CODES[0]);
  await again();
  await user.click(await pressable('Change password'));
  await waitFor(() => expect(sent('/user/forget')).toHaveLength(1));
  expect(sent('/user/forget')[0]?.params).toMatchObject({ method: 'totp', second_code: CODES[0] });
});

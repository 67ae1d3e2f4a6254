/** Identity verification, and the contacts that it needs. */
import { act, screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { queryClient } from '@/lib/query';
import { appStore, userAtom } from '@/lib/state';
import { USER } from '@/testing/fakes/calls/account.ts';
import { CODES } from '@/testing/fakes/safe.ts';
import { TAKEN } from '@/testing/fakes/verification.ts';
import { currentHash, freshBackend, open, pressable } from '@/testing/renderApp';

const world = freshBackend();
const currentUser = () => appStore.get(userAtom);
const sent = (path: string) => world.backend.requests.filter((request) => request.path === path);
/** A button takes one press a second. */
const again = () => new Promise((resolve) => setTimeout(resolve, 1000));
const reachable = () => {
  world.backend.user = { ...USER, phone: '138****8000', area_code: '86' };
};

const MARK = '/pages/setting/real_mark';
const REAL = '/pages/setting/real?type=1';
const PHONE = '/pages/setting/security/phone';
const EMAIL = '/pages/setting/security/email';
type User = ReturnType<typeof open>['user'];

async function choose(user: User, field: string, option: string | RegExp) {
  await user.click(await screen.findByRole('button', { name: new RegExp(`^${field}`) }));
  await user.click(within(await screen.findByRole('dialog', { name: field })).getByRole('button', { name: option }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
}

test('settings lead to the two levels; the advanced one waits for the basic one', async () => {
  reachable();
  const { user } = open('/pages/setting/setting', { member: true });
  await user.click(await screen.findByRole('button', { name: /Identity verification/ }));
  await waitFor(() => expect(currentHash()).toBe(MARK));
  expect(await screen.findByText('1,000,000 USDT')).toBeInTheDocument();
  expect(await screen.findByRole('button', { name: 'Start advanced verification' })).toBeDisabled();
  await user.click(screen.getByRole('button', { name: 'Start basic verification' }));
  await waitFor(() => expect(currentHash()).toBe(REAL));
});

test('a document of another user is told at its number, and another one is handed in', async () => {
  reachable();
  const { user } = open(REAL, { member: true });
  await choose(user, 'Country or region', /Germany/);
  await choose(user, 'Document', 'Passport');
  await user.type(screen.getByLabelText('Name'), 'A');
  const number = screen.getByLabelText('Document number');
  await user.type(number, TAKEN);
  // A field that was left says what is wrong with it.
  expect(await screen.findByText('2 to 50 letters, no digits or symbols')).toBeInTheDocument();
  await user.type(screen.getByLabelText('Name'), 'nna Weber');
  await user.click(await pressable('Submit'));
  expect(await screen.findByText('This document is used by another account')).toBeInTheDocument();
  expect(number).toBeInvalid();
  await user.clear(number);
  await user.type(number, 'P1234567');
  await again();
  await user.click(await pressable('Submit'));
  expect(await screen.findByText('Submitted, please wait for the review')).toBeInTheDocument();
  await waitFor(() => expect(currentHash()).toBe(MARK));
  // The form's page tells of the review as well while it is left.
  await screen.findByRole('button', { name: 'Start advanced verification' });
  await waitFor(() => expect(screen.getByText('Under review')).toBeInTheDocument());
  expect(sent('/user/real').map(({ params }) => [params.country, params.region])).toEqual([
    ['49', 'DE'],
    ['49', 'DE'],
  ]);
});

test('a country that is refused is told at its field, until another one is chosen', async () => {
  reachable();
  const errors = { region: 'wrong' };
  const refusal = { type: 'error', code: 1001, message: 'Parameter error', errors };
  world.backend.override('/user/real', () => ({ status: 200, body: refusal }));
  const { user } = open(REAL, { member: true });
  await choose(user, 'Country or region', /United States/);
  await choose(user, 'Document', 'Passport');
  await user.type(screen.getByLabelText('Name'), 'Anna Weber');
  await user.type(screen.getByLabelText('Document number'), 'P1234567');
  await user.click(await pressable('Submit'));
  expect(await screen.findByText('Parameter error')).toBeInTheDocument();
  const field = screen.getByRole('button', { name: /^Country or region/ });
  expect(field).toHaveAccessibleDescription('Parameter error');
  expect(sent('/user/real')[0]?.params).toMatchObject({ country: '1', region: 'US' });
  await choose(user, 'Country or region', /Canada/);
  expect(screen.queryByText('Parameter error')).toBeNull();
});

test('of countries that share a calling code the one that was named is shown', async () => {
  reachable();
  const entered = { real_type: '1', id_type: '1', country: '1', name: 'Anna Weber', card_id: 'P1234567' };
  world.backend.verification.submit({ ...entered, region: 'CA' });
  const first = open(REAL, { member: true });
  expect(await screen.findByText('Canada')).toBeInTheDocument();
  first.unmount();
  world.backend.user = { ...world.backend.user, review_status: 0 };
  world.backend.verification.submit(entered);
  open('/pages/setting/real_mark', { member: true });
  expect(await screen.findByText(/Canada \/ .*United States/)).toBeInTheDocument();
});

test('what is under review is shown and not asked again; pictures wait for the basic level', async () => {
  reachable();
  world.backend.verification.submit({ real_type: '1', id_type: '0', country: '49', name: 'Anna', card_id: 'P1234567' });
  const { user } = open(REAL, { member: true });
  expect(await screen.findByText('P1******67')).toBeInTheDocument();
  expect(screen.queryByLabelText('Name')).toBeNull();
  await user.click(screen.getByRole('button', { name: 'To verification' }));
  await waitFor(() => expect(currentHash()).toBe(MARK));
  window.location.hash = '/pages/setting/real?type=2';
  expect(await screen.findByText('Basic verification has to be passed first.')).toBeInTheDocument();
});

test('a decision that the page hears of is read into the profile, because it makes the country known', async () => {
  reachable();
  const entered = { real_type: '1', id_type: '1', country: '1', region: 'CA', name: 'Anna', card_id: 'P1234567' };
  const { verification } = world.backend;
  verification.submit(entered);
  open(MARK, { member: true });
  await screen.findByText('Under review');
  await waitFor(() => expect(currentUser()?.review_status).toBe(1));
  const before = sent('/user/info').length;
  verification.decide(1, true);
  await act(() => queryClient.invalidateQueries({ queryKey: ['verification'] }));
  await waitFor(() => expect(currentUser()).toMatchObject({ review_status: 2, country: 'CA' }));
  expect(sent('/user/info')).toHaveLength(before + 1);
});

test('a lost answer keeps what is shown and offers a retry', async () => {
  world.backend.override('/real/state', () => ({ status: 500, body: {} }));
  const { user } = open(MARK, { member: true });
  const retry = await screen.findByRole('button', { name: 'Retry' });
  world.backend.reset('/real/state');
  await user.click(retry);
  expect(await screen.findByText('Bind your email and your phone first')).toBeInTheDocument();
});

test('a first phone takes a code that was sent to the e-mail address', async () => {
  const { user } = open(PHONE, { member: true });
  await choose(user, 'Country or region', /^China/);
  const [old, fresh] = await screen.findAllByRole('button', { name: 'Send code' });
  if (!old || !fresh) throw new Error('two codes are sent');
  await user.click(fresh);
  expect(await screen.findByText('Enter a correct phone number')).toBeInTheDocument();
  expect(sent('/sms_send')).toHaveLength(0);
  await user.type(screen.getByLabelText('New phone'), '13800138000');
  await again();
  await user.click(fresh);
  await user.click(old);
  await waitFor(() => expect([sent('/sms_send').length, sent('/sms_mail').length]).toEqual([1, 1]));
  expect(sent('/sms_send')[0]?.params).toMatchObject({ area_code: '86', mobile: '13800138000' });
  expect(sent('/sms_mail')[0]?.params).toMatchObject({ user_string: USER.email, type: 'bind' });
  await user.type(screen.getByLabelText('Code sent to the current email'), '000000');
  await user.type(screen.getByLabelText('Verification code'), '123456');
  await user.click(await pressable('Bind phone'));
  expect(await screen.findByText('Verification code error')).toBeInTheDocument();
  expect(screen.getByLabelText('Code sent to the current email')).toBeInvalid();
  await user.clear(screen.getByLabelText('Code sent to the current email'));
  await user.type(screen.getByLabelText('Code sent to the current email'), '123456');
  await again();
  await user.click(await pressable('Bind phone'));
  expect(await screen.findByText('Phone bound')).toBeInTheDocument();
  await waitFor(() => expect(currentHash()).toBe('/pages/setting/security'));
  expect(world.backend.user.phone).toBe('138****8000');
});

test('a code of the authenticator is asked for where one is in use', async () => {
  world.backend.safe.turnOn();
  const { user } = open(EMAIL, { member: true });
  await user.type(await screen.findByLabelText('New email'), 'new@example.com');
  await user.type(screen.getByLabelText('Code sent to the current email'), '123456');
  await user.type(screen.getByLabelText('Verification code'), '123456');
  await user.click(await pressable('Change email'));
  await user.type(await screen.findByLabelText('Authenticator code'), CODES[0]);
  await again();
  await user.click(await pressable('Change email'));
  expect(await screen.findByText('Email bound')).toBeInTheDocument();
  expect(world.backend.user.email).toBe('new@example.com');
});

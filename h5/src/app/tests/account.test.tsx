import { screen, waitFor, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { currentToken, dispatchSession } from '@/lib/session';
import { appStore, areaCodeAtom, stored } from '@/lib/state';
import { PASSWORD } from '@/testing/fakes/call.ts';
import { currentHash, freshBackend, open } from '@/testing/renderApp';

const world = freshBackend();
const sent = (path: string) => world.backend.requests.filter((request) => request.path === path);

test('a login stores token and profile, remembers only the account, and goes where the guest was headed', async () => {
  const { user } = open(`/pages/common/login?redirect=${encodeURIComponent('/pages/setting/about')}`);
  await user.type(await screen.findByRole('textbox', { name: 'Account' }), 'demo@example.com');
  await user.type(screen.getByLabelText('Password'), PASSWORD);
  await user.click(screen.getByRole('button', { name: 'Log in' }));
  expect(await screen.findByText('Login Success')).toBeInTheDocument();
  expect(currentToken()).toBe('demo');
  expect(stored()).toMatchObject({ token: 'demo', account: 'demo@example.com', user: { uid: '100001' } });
  expect(localStorage.getItem('h5')).not.toContain(PASSWORD);
  // The address asked for is none of the app's: home it is.
  await waitFor(() => expect(currentHash()).toBe('/pages/index/index'));
});

test('a refused login shows the server’s text and stays', async () => {
  const { user } = open('/pages/common/login');
  await user.type(await screen.findByRole('textbox', { name: 'Account' }), 'demo@example.com');
  await user.type(screen.getByLabelText('Password'), 'wrong-one');
  await user.click(screen.getByRole('button', { name: 'Log in' }));
  expect(await screen.findByText('Account or password error')).toBeInTheDocument();
  expect(currentToken()).toBe('');
});

test('an answer without a token is no login', async () => {
  world.backend.override('/user/login', () => ({ status: 200, body: { type: 'ok', code: 1 }, broken: true }));
  const { user } = open('/pages/common/login');
  await user.type(await screen.findByRole('textbox', { name: 'Account' }), 'demo@example.com');
  await user.type(screen.getByLabelText('Password'), PASSWORD);
  await user.click(screen.getByRole('button', { name: 'Log in' }));
  expect(await screen.findByText('Login Failed')).toBeInTheDocument();
  expect(currentToken()).toBe('');
});

test('empty and special-character fields are refused before any call', async () => {
  const { user } = open('/pages/common/login');
  await user.click(await screen.findByRole('button', { name: 'Log in' }));
  expect(await screen.findByText('Please enter your account')).toBeInTheDocument();
  expect(screen.getByText('Please enter your password')).toBeInTheDocument();
  await user.type(screen.getByRole('textbox', { name: 'Account' }), 'a<b');
  expect(await screen.findByText('Special characters not allowed')).toBeInTheDocument();
  expect(sent('/user/login')).toHaveLength(0);
});

test('the password shows only while its eye is pressed open', async () => {
  const { user } = open('/pages/common/login');
  const field = await screen.findByLabelText('Password');
  expect(field).toHaveAttribute('type', 'password');
  await user.click(screen.getByRole('button', { name: 'Show password' }));
  expect(field).toHaveAttribute('type', 'text');
});

/** What an earlier visit typed is kept: it is replaced. */
async function typeEmail(user: ReturnType<typeof open>['user'], email: string) {
  const field = await screen.findByRole('textbox', { name: 'Email' });
  await user.clear(field);
  if (email) await user.type(field, email);
}

async function fillRegistration(user: ReturnType<typeof open>['user'], email = 'new@example.com') {
  await typeEmail(user, email);
  await user.type(screen.getByRole('textbox', { name: 'Verification code' }), '123456');
  await user.type(screen.getByLabelText('Password'), 'secret-7');
  await user.type(screen.getByLabelText('Confirm password'), 'secret-7');
  await user.click(screen.getByRole('checkbox'));
}

test('a registration checks the code first, creates the account and logs in with it', async () => {
  const { user } = open('/pages/common/register?code=H7K2QX');
  await fillRegistration(user);
  expect(screen.getByRole('textbox', { name: /Invitation code/ })).toHaveValue('H7K2QX');
  await user.click(screen.getByRole('button', { name: 'Create account' }));
  expect(await screen.findByText('Registration Success')).toBeInTheDocument();
  await waitFor(() => expect(currentHash()).toBe('/pages/index/index'));
  expect(sent('/user/register')[0]?.params).toMatchObject({
    type: 'email',
    user_string: 'new@example.com',
    code: '123456',
    extension_code: 'H7K2QX',
    lang: 'en',
  });
  expect(sent('/user/login')[0]?.params).toMatchObject({ user_string: 'new@example.com', password: 'secret-7' });
  expect(currentToken()).toBe('demo');
  expect(stored().account).toBe('new@example.com');
});

test('who cannot be logged in after registering is led to the login', async () => {
  world.backend.override('/user/login', () => ({ status: 503, body: {} }));
  const { user } = open('/pages/common/register');
  await fillRegistration(user);
  await user.click(screen.getByRole('button', { name: 'Create account' }));
  await waitFor(() => expect(currentHash()).toBe('/pages/common/login'));
  expect(await screen.findByRole('textbox', { name: 'Account' })).toHaveValue('new@example.com');
});

test('a phone is registered, checked and logged in with its country', async () => {
  appStore.set(areaCodeAtom, '66');
  const { user } = open('/pages/common/register');
  await user.click(await screen.findByRole('tab', { name: 'Phone' }));
  await user.type(screen.getByRole('textbox', { name: 'Phone' }), '812345678');
  await user.type(screen.getByRole('textbox', { name: 'Verification code' }), '123456');
  await user.type(screen.getByLabelText('Password'), 'secret-7');
  await user.type(screen.getByLabelText('Confirm password'), 'secret-7');
  await user.click(screen.getByRole('checkbox'));
  await user.click(screen.getByRole('button', { name: 'Create account' }));
  await waitFor(() => expect(currentToken()).toBe('demo'));
  for (const path of ['/user/check_email', '/user/register', '/user/login']) {
    expect([path, sent(path)[0]?.params.area_code]).toEqual([path, '66']);
  }
});

test.each([
  ['/user/check_email', 'Verification code', 'email_code', 1008, 'Verification code error'],
  ['/user/register', 'Email', 'user_string', 1016, 'Account already exists'],
  ['/user/register', 'Password', 'password', 1001, 'This password is too common'],
  ['/user/register', 'Invitation code (optional)', 'extension_code', 1001, 'Please fill in the correct code'],
])('what %s refuses about the %s is told under it', async (path, label, field, code, message) => {
  world.backend.override(path, () => ({
    status: 200,
    body: { type: 'error', code, message, errors: { [field]: 'refused' } },
  }));
  const { user } = open('/pages/common/register');
  await fillRegistration(user);
  await user.click(screen.getByRole('button', { name: 'Create account' }));
  const input = screen.getByLabelText(label);
  await waitFor(() => expect(input).toHaveAccessibleDescription(new RegExp(message)));
  expect(input).toBeInvalid();
  expect(input).toHaveFocus();
  // Once, and gone as soon as the field is changed.
  expect(screen.getAllByText(message)).toHaveLength(1);
  await user.type(input, '1{Backspace}');
  await waitFor(() => expect(screen.queryByText(message)).toBeNull());
  expect(currentHash()).toBe('/pages/common/register');
});

test('a refusal that is about no field is told as it is', async () => {
  world.backend.override('/user/register', () => ({
    status: 200,
    body: { type: 'error', code: 1018, message: 'Too many requests' },
  }));
  const { user } = open('/pages/common/register');
  await fillRegistration(user);
  await user.click(screen.getByRole('button', { name: 'Create account' }));
  expect(await screen.findByText('Too many requests', { selector: '[role=status] *' })).toBeInTheDocument();
});

test('each field of a registration is checked with its own text', async () => {
  const { user } = open('/pages/common/register');
  await typeEmail(user, 'nobody');
  await user.type(screen.getByRole('textbox', { name: 'Verification code' }), '12ab');
  await user.type(screen.getByLabelText('Password'), '123456');
  await user.type(screen.getByLabelText('Confirm password'), '1234567');
  await user.click(screen.getByRole('button', { name: 'Create account' }));
  expect(await screen.findByText('The code has six digits')).toBeInTheDocument();
  expect(screen.getByText('The password must be 7 to 64 characters long')).toBeInTheDocument();
  expect(screen.getByText('Please accept the terms first')).toBeInTheDocument();
  expect(sent('/user/check_email')).toHaveLength(0);
});

test('two different passwords and an unreachable address are named where they are', async () => {
  const { user } = open('/pages/common/register');
  await fillRegistration(user, 'nobody');
  await user.type(screen.getByLabelText('Confirm password'), 'x');
  await user.click(screen.getByRole('button', { name: 'Create account' }));
  expect(await screen.findByText('Passwords do not match')).toBeInTheDocument();
  expect(screen.getByText('Please enter a correct email or phone number')).toBeInTheDocument();
});

test('a sent code starts the countdown of 120 seconds', async () => {
  const { user } = open('/pages/common/register');
  await typeEmail(user, 'new@example.com');
  await user.click(screen.getByRole('button', { name: 'Send code' }));
  expect(await screen.findByText('Sent successfully')).toBeInTheDocument();
  expect(await screen.findByRole('button', { name: /Resend in 1(20|19)s/ })).toBeDisabled();
  expect(sent('/sms_mail')[0]?.params).toMatchObject({ user_string: 'new@example.com', type: 'register' });
});

test('no code is sent to what is no address', async () => {
  const { user } = open('/pages/common/register');
  await typeEmail(user, '');
  await user.click(await screen.findByRole('button', { name: 'Send code' }));
  expect(await screen.findByText('Please enter your account')).toBeInTheDocument();
  expect(sent('/sms_mail')).toHaveLength(0);
});

test('the country code chosen on its page is there on the way back, with what was typed before', async () => {
  const { user } = open('/pages/common/register');
  await user.click(await screen.findByRole('tab', { name: 'Phone' }));
  await user.type(screen.getByRole('textbox', { name: 'Phone' }), '812345678');
  await user.click(screen.getByRole('button', { name: /Country code/ }));
  await user.type(await screen.findByRole('searchbox'), 'Thai');
  await user.click(screen.getByRole('button', { name: /Thailand/ }));
  expect(await screen.findByRole('button', { name: 'Country code +66' })).toBeInTheDocument();
  expect(screen.getByRole('textbox', { name: 'Phone' })).toHaveValue('812345678');
});

test('a reset sends code and both passwords, and a wrong code stops it', async () => {
  const { user } = open('/pages/common/forget');
  await user.type(await screen.findByRole('textbox', { name: 'Email' }), 'demo@example.com');
  await user.type(screen.getByRole('textbox', { name: 'Verification code' }), '000000');
  await user.type(screen.getByLabelText('Password'), 'secret-7');
  await user.type(screen.getByLabelText('Confirm password'), 'secret-7');
  const submit = screen.getByRole('button', { name: 'Set new password' });
  await user.click(submit);
  expect(await screen.findByText('Verification code error')).toBeInTheDocument();
  expect(sent('/user/forget')).toHaveLength(0);
  await user.clear(screen.getByRole('textbox', { name: 'Verification code' }));
  await user.type(screen.getByRole('textbox', { name: 'Verification code' }), '123456');
  await user.click(submit);
  expect(await screen.findByText('Password changed, please log in')).toBeInTheDocument();
  expect(sent('/user/forget')[0]?.params).toMatchObject({ account: 'demo@example.com', repassword: 'secret-7' });
  // The page leaves by itself: not under the next test.
  await waitFor(() => expect(currentHash()).toBe('/pages/common/login'));
});

test('logging out asks first, then removes token and profile and tells the server', async () => {
  vi.spyOn(window, 'scrollTo').mockImplementation(() => undefined);
  const { user } = open('/pages/setting/setting', { member: true });
  await user.click(await screen.findByRole('button', { name: 'Log out' }));
  const dialog = await screen.findByRole('dialog', { name: 'Log out of this device?' });
  expect(currentToken()).toBe('demo');
  await user.click(within(dialog).getByRole('button', { name: 'Log out' }));
  await waitFor(() => expect(currentToken()).toBe(''));
  expect(stored()).toMatchObject({ token: '', user: null });
  await waitFor(() => expect(sent('/user/logout')[0]?.token).toBe('demo'));
  await waitFor(() => expect(currentHash()).toBe('/pages/index/index'));
  dispatchSession({ type: 'logout' });
});

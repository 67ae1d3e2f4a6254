import { screen, waitFor, within } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { currentToken } from '@/lib/session';
import { PASSWORD, TOKEN } from '@/testing/fakes/call.ts';
import { CODES, CREDENTIAL, SECRET } from '@/testing/fakes/safe.ts';
import { currentHash, freshBackend, open, pressable } from '@/testing/renderApp';

const PAGE = '/pages/setting/security/authenticator';
const world = freshBackend();
const sent = (path: string) => world.backend.requests.filter((request) => request.path === path);
/** A button takes one press a second. */
const again = () => new Promise((resolve) => setTimeout(resolve, 1000));

test('an authenticator is set up from the page of security, and its recovery codes are told once', async () => {
  const { user } = open('/pages/setting/security', { member: true });
  await user.click(await screen.findByRole('button', { name: /Authenticator app/ }));
  await waitFor(() => expect(currentHash()).toBe(PAGE));
  await user.type(await screen.findByLabelText('Login password'), PASSWORD);
  await user.click(await pressable('Set up'));
  expect(await screen.findByRole('img', { name: 'QR code of the key' })).toBeInTheDocument();
  expect(screen.getByText(SECRET)).toBeInTheDocument();
  await user.click(await pressable('Turn on'));
  expect(await screen.findAllByText('Six digits')).toHaveLength(2);
  expect(sent('/safe/totp/confirm')).toHaveLength(0);
  await user.type(screen.getByLabelText('First code'), CODES[0]);
  await user.type(screen.getByLabelText('Next code'), CODES[1]);
  await again();
  await user.click(await pressable('Turn on'));
  const recovery = await screen.findByRole('region', { name: 'Recovery codes' });
  expect(within(recovery).getAllByRole('listitem')).toHaveLength(10);
  await user.click(within(recovery).getByRole('button', { name: 'Copy all' }));
  expect((await navigator.clipboard.readText()).split('\n')).toHaveLength(10);
  await user.click(within(recovery).getByRole('button', { name: 'I have stored it' }));
  expect(await screen.findByText('Recovery codes left: 10')).toBeInTheDocument();
  expect(screen.queryByText(SECRET)).not.toBeInTheDocument();
});

test('an authenticator is turned off by a recovery code', async () => {
  const [code = ''] = world.backend.safe.turnOn();
  const { user } = open(PAGE, { member: true });
  await user.click(await screen.findByRole('button', { name: 'Turn off' }));
  const dialog = await screen.findByRole('dialog', { name: 'Turn off the authenticator?' });
  await user.type(within(dialog).getByLabelText('Authenticator code'), code.toUpperCase());
  await user.click(within(dialog).getByRole('button', { name: 'Confirm' }));
  expect(await screen.findByText('Authenticator is off')).toBeInTheDocument();
  expect(await screen.findByRole('button', { name: 'Set up' })).toBeInTheDocument();
});

test('a new phone takes the place of the old one by a code of that', async () => {
  world.backend.safe.turnOn();
  const { user } = open(PAGE, { member: true });
  await user.type(await screen.findByLabelText('Authenticator code'), CODES[0]);
  await user.click(await pressable('Move to another phone'));
  expect(await screen.findByText(SECRET)).toBeInTheDocument();
  expect(sent('/safe/totp/begin')[0]?.params).not.toHaveProperty('password');
});

test('a login asks for the second step and goes on with it', async () => {
  world.backend.safe.turnOn();
  const { user } = open('/pages/common/login');
  await user.type(await screen.findByLabelText('Account'), 'demo@example.com');
  await user.type(screen.getByLabelText('Password'), PASSWORD);
  await user.click(await pressable('Log in'));
  expect(await screen.findByRole('heading', { name: 'Second step' })).toBeInTheDocument();
  expect(currentToken()).toBe('');
  expect(screen.queryByText('Enter the code of your second factor')).not.toBeInTheDocument();
  const code = screen.getByLabelText('Authenticator or recovery code');
  await user.type(code, '999999');
  await user.click(await pressable('Log in'));
  expect(await screen.findByText('Verification code error')).toBeInTheDocument();
  expect(currentToken()).toBe('');
  await user.clear(code);
  await user.type(code, CODES[0]);
  await again();
  await user.click(await pressable('Log in'));
  expect(await screen.findByText('Login Success')).toBeInTheDocument();
  expect(currentToken()).toBe(TOKEN);
  // The page leaves by itself: not under the next test.
  await waitFor(() => expect(currentHash()).toBe('/pages/index/index'));
});

test('keys ask for a code in the place of the password', async () => {
  world.backend.safe.turnOn();
  const { user } = open('/pages/setting/security/api-keys', { member: true });
  await user.click(await pressable('Create API key'));
  const sheet = await screen.findByRole('dialog', { name: 'Create API key' });
  await user.type(within(sheet).getByRole('textbox', { name: 'Label' }), 'arbitrage');
  await user.type(await within(sheet).findByLabelText('Authenticator code'), CODES[0]);
  expect(within(sheet).queryByLabelText('Payment password')).not.toBeInTheDocument();
  await user.click(within(sheet).getByRole('button', { name: 'Create API key' }));
  expect(await screen.findByRole('region', { name: 'arbitrage' })).toBeInTheDocument();
  expect(sent('/user/api_keys/create')[0]?.params).not.toHaveProperty('pay_password');
});

test('a reset of the password asks for the second factor once the code was right', async () => {
  world.backend.safe.turnOn();
  const { user } = open('/pages/common/forget');
  await user.type(await screen.findByRole('textbox', { name: 'Email' }), 'demo@example.com');
  await user.type(screen.getByRole('textbox', { name: 'Verification code' }), '123456');
  await user.type(screen.getByLabelText('Password'), 'another-one-1');
  await user.type(screen.getByLabelText('Confirm password'), 'another-one-1');
  expect(screen.queryByLabelText('Authenticator or recovery code')).not.toBeInTheDocument();
  await user.click(await pressable('Set new password'));
  await user.type(await screen.findByLabelText('Authenticator or recovery code'), CODES[0]);
  await again();
  await user.click(await pressable('Set new password'));
  expect(await screen.findByText('Password changed, please log in')).toBeInTheDocument();
  await waitFor(() => expect(currentHash()).toBe('/pages/common/login'));
});

/** A browser that has passkeys, with what it answers; nothing of it is looked at but the names. */
function withPasskeys(refusal?: DOMException) {
  const buffer = new ArrayBuffer(16);
  const used = async () => {
    if (refusal) throw refusal;
    const response = {
      clientDataJSON: buffer,
      attestationObject: buffer,
      authenticatorData: buffer,
      signature: buffer,
    };
    return { rawId: buffer, response };
  };
  const credentials = { create: vi.fn(used), get: vi.fn(used) };
  Object.defineProperty(navigator, 'credentials', { configurable: true, value: credentials });
  return credentials;
}
afterEach(() => Reflect.deleteProperty(navigator, 'credentials'));

test('a passkey is added by the password, named, and taken away by itself', async () => {
  const { create, get } = withPasskeys();
  const { user } = open('/pages/setting/security', { member: true });
  await user.click(await screen.findByRole('button', { name: /Passkeys/ }));
  expect(await screen.findByText('No passkeys yet')).toBeInTheDocument();
  await user.type(screen.getByLabelText('Name of this device'), ' My phone ');
  await user.type(screen.getByLabelText('Login password'), PASSWORD);
  await user.click(await pressable('Add a passkey'));
  const recovery = await screen.findByRole('region', { name: 'Recovery codes' });
  expect(create.mock.lastCall).toMatchObject([
    { publicKey: { rp: { id: 'localhost' }, challenge: new Uint8Array(16) } },
  ]);
  expect(sent('/safe/passkey/begin')[0]?.params).toMatchObject({ label: 'My phone' });
  await user.click(within(recovery).getByRole('button', { name: 'I have stored it' }));
  await user.click(await screen.findByRole('button', { name: 'Remove My phone' }));
  const dialog = await screen.findByRole('dialog', { name: 'Remove this passkey?' });
  await user.click(within(dialog).getByRole('button', { name: 'Use a passkey' }));
  await user.click(within(dialog).getByRole('button', { name: 'Confirm' }));
  expect(await screen.findByText('No passkeys yet')).toBeInTheDocument();
  expect(get).toHaveBeenCalledOnce();
  expect(JSON.parse(sent('/safe/prove')[0]?.params.assertion ?? '')).toMatchObject({ credential: CREDENTIAL });
});

test('a passkey that was cancelled says so, and nothing is sent', async () => {
  withPasskeys(new DOMException('no', 'NotAllowedError'));
  const { user } = open('/pages/setting/security/passkeys', { member: true });
  await user.type(await screen.findByLabelText('Login password'), PASSWORD);
  await user.click(await pressable('Add a passkey'));
  expect(await screen.findByText(/it was cancelled, or it took too long/)).toBeInTheDocument();
  expect(sent('/safe/passkey/finish')).toHaveLength(0);
});

test('a login goes on with a passkey', async () => {
  withPasskeys();
  world.backend.safe.addPasskey();
  const { user } = open('/pages/common/login');
  await user.type(await screen.findByLabelText('Account'), 'demo@example.com');
  await user.type(screen.getByLabelText('Password'), PASSWORD);
  await user.click(await pressable('Log in'));
  await user.click(await screen.findByRole('button', { name: 'Use a passkey' }));
  await waitFor(() => expect(currentToken()).toBe(TOKEN));
  expect(sent('/user/login/second')[0]?.params).toMatchObject({ method: 'passkey' });
});

test('a passkey alone logs in, without a name', async () => {
  withPasskeys();
  vi.stubGlobal('PublicKeyCredential', class {});
  world.backend.safe.addPasskey();
  const { user } = open('/pages/common/login');
  await user.click(await pressable('Use a passkey'));
  await waitFor(() => expect(currentToken()).toBe(TOKEN));
  expect(JSON.parse(sent('/user/login/passkey')[0]?.params.assertion ?? '')).toMatchObject({ credential: CREDENTIAL });
  expect(sent('/user/login')).toHaveLength(0);
  vi.unstubAllGlobals();
});

import { command } from '@/lib/api/client';
import { safeBeginPasskeyLogin, safeLoginByPasskey } from '@/lib/api/schema/safeCalls';
import { signWithPasskey } from '@/lib/askPasskey';
import { type Entry, enter } from './logIn';

/** A login without a name: whichever passkey of this site the device has. */
export async function logInByPasskeyAlone(): Promise<Entry> {
  const begun = await command(safeBeginPasskeyLogin, {});
  const assertion = begun.ok && (await signWithPasskey(begun.data.passkey));
  return assertion ? enter(safeLoginByPasskey, { challenge_id: begun.data.challenge_id, assertion }) : { step: 'out' };
}

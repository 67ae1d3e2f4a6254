/** Has the browser use a passkey, and tells the user when it did not. */
import { i18next } from './i18n';
import { type Created, type CreateOptions, create, refusalOf, type SignOptions, sign } from './passkeys';
import { toast } from './toast';

async function told<T>(used: Promise<T | null>): Promise<T | null> {
  try {
    const answer = await used;
    if (answer === null) toast.error(i18next.t('common:passkey.none'));
    return answer;
  } catch (error) {
    toast.error(i18next.t(`common:passkey.${refusalOf(error)}`));
    return null;
  }
}

export const makePasskey = (options: CreateOptions): Promise<Created | null> => told(create(options));

/** What a call takes as its assertion. */
export async function signWithPasskey(options: SignOptions): Promise<string | null> {
  const signed = await told(sign(options));
  return signed && JSON.stringify(signed);
}

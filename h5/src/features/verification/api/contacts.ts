/** An e-mail address or a phone is bound, by codes that were sent to it and to a contact that is bound already. */
import { useQueryClient } from '@tanstack/react-query';
import { command, PROOF_NEEDED } from '@/lib/api/client';
import { quietSurety, SAFE_STATE } from '@/lib/api/safe';
import { authSendCode } from '@/lib/api/schema/authCalls';
import {
  verificationBindEmail,
  verificationBindMobile,
  verificationSendEmail,
  verificationSendSms,
} from '@/lib/api/schema/verificationCalls';
import { loadUser } from '@/lib/api/user';
import { i18next } from '@/lib/i18n';
import { toast } from '@/lib/toast';
import { VERIFICATION } from './state';

/** A contact; of a phone with its calling code. */
export interface Contact {
  account: string;
  areaCode?: string | undefined;
}

const isPhone = ({ areaCode }: Contact): boolean => areaCode !== undefined;
const mobileOf = ({ account, areaCode = '' }: Contact) => ({ area_code: areaCode, mobile: account });

async function told(sending: Promise<{ ok: boolean }>): Promise<boolean> {
  const { ok } = await sending;
  if (ok) toast.success(i18next.t('account:codeSent'));
  return ok;
}

/** A code to a contact that is bound: who changes contacts has it. */
export const sendToBound = ({ account, areaCode }: Contact): Promise<boolean> =>
  told(command(authSendCode, { user_string: account, type: 'bind', area_code: areaCode }));

/** A code to a contact that is to be bound. */
export const sendToNew = (contact: Contact): Promise<boolean> =>
  told(
    isPhone(contact)
      ? command(verificationSendSms, mobileOf(contact))
      : command(verificationSendEmail, { email: contact.account }),
  );

/** `needsFactor`: a code of the authenticator is needed besides. */
export type Answer = { done: true } | { done: false; fields: readonly string[]; why: string; needsFactor?: boolean };

interface Codes {
  code: string;
  oldCode: string;
  /** Of the authenticator, once that was asked for. */
  second: string | null;
}

export function useBind(): (contact: Contact, codes: Codes) => Promise<Answer> {
  const client = useQueryClient();
  return async (contact, { code, oldCode, second }) => {
    const subject = isPhone(contact) ? mobileOf(contact) : { email: contact.account };
    let proof = {};
    if (second !== null) {
      const proved = await quietSurety({ action: 'contact_bind', ...subject }, { hasFactor: true, text: second });
      if ('why' in proved) return { done: false, fields: [], why: proved.why };
      proof = proved.surety;
    }
    const codes = { code, old_code: oldCode, ...proof };
    const reply = isPhone(contact)
      ? await command(verificationBindMobile, { ...mobileOf(contact), ...codes }, { quiet: true })
      : await command(verificationBindEmail, { email: contact.account, ...codes }, { quiet: true });
    if (!reply.ok) {
      const needsFactor = reply.code === PROOF_NEEDED;
      return { done: false, fields: Object.keys(reply.fields), why: reply.text, needsFactor };
    }
    await loadUser();
    for (const queryKey of [VERIFICATION, SAFE_STATE]) void client.invalidateQueries({ queryKey });
    return { done: true };
  };
}

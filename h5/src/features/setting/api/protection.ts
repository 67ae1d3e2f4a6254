/** The anti-phishing text of mails, and the lock of one's own account. */
import { command } from '@/lib/api/client';
import { type Confirmation, quietSurety } from '@/lib/api/safe';
import { safeLock, safeSetMailPhrase } from '@/lib/api/schema/safeCalls';

/** `field`: it is the text that is wrong. */
export type Saved = { ok: true } | { ok: false; field: boolean; why: string };

/** What an anti-phishing text may be, as the server has it: letters and digits with marks over them, none that nobody sees. */
export const isPhrase = (text: string): boolean =>
  /^(?:[\p{Alphabetic}\p{N}]|[\u0300-\u036F\u0E47-\u0E4E]){4,20}$/u.test(text) &&
  !/[\u115F\u1160\u3164\uFFA0]/u.test(text);

/** An empty one removes it. */
export async function setMailPhrase(phrase: string, by: Confirmation): Promise<Saved> {
  const proved = await quietSurety({ action: 'mail_phrase', phrase }, by);
  if ('why' in proved) return { ok: false, field: false, why: proved.why };
  const reply = await command(safeSetMailPhrase, { phrase, ...proved.surety }, { quiet: true });
  return reply.ok ? { ok: true } : { ok: false, field: 'phrase' in reply.fields, why: reply.text };
}

/** Whether the account is locked now: no session is good any more. */
export const lockAccount = async (): Promise<boolean> => (await command(safeLock, {})).ok;

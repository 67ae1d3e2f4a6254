/** Hands in what is reviewed: who somebody is, or pictures of the document. */
import { useQueryClient } from '@tanstack/react-query';
import { command } from '@/lib/api/client';
import { type VerificationSubmitFields, verificationSubmit } from '@/lib/api/schema/verificationCalls';
import { loadUser } from '@/lib/api/user';
import { VERIFICATION } from './state';

/** `fields` are those that were refused; without one it is told as a whole. */
export type Answer = { done: true } | { done: false; fields: readonly string[]; why: string };

/** The document is another user's. */
const TAKEN = 1016;

export function useSubmit(): (fields: VerificationSubmitFields) => Promise<Answer> {
  const client = useQueryClient();
  return async (fields) => {
    const reply = await command(verificationSubmit, fields, { quiet: true });
    // A refusal may tell of another state than the one that was shown; a lost answer tells nothing.
    void client.invalidateQueries({ queryKey: VERIFICATION });
    void loadUser();
    if (reply.ok) return { done: true };
    const named = Object.keys(reply.fields);
    return { done: false, fields: named.length === 0 && reply.code === TAKEN ? ['card_id'] : named, why: reply.text };
  };
}

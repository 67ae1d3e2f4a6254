import { useState } from 'react';
import { post, useSession } from './api';
import { why } from './passkeys';

/** A change with a reason: what was typed, sending it, and why it was refused. `done` with the answer when it was taken. */
export function useReasoned<T = unknown>(path: string, done: (answer: T) => void) {
  const { me } = useSession();
  const [reason, setReason] = useState('');
  const [trouble, setTrouble] = useState('');
  const [busy, setBusy] = useState(false);
  const send = async (about: Record<string, unknown> = {}) => {
    setBusy(true);
    setTrouble('');
    try {
      const answer = await post<T>(path, { ...about, reason }, me.word);
      setReason('');
      done(answer);
    } catch (error) {
      setTrouble(why(error));
    }
    setBusy(false);
  };
  return { reason, setReason, trouble, busy, isSaid: reason.trim() !== '', send };
}

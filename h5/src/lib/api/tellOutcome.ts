import { toast } from '../toast';
import type { Outcome } from './money';

interface Texts {
  done: string;
  notReceived: string;
}

/** Says what became of a request, as far as the call layer has not; whether it was done. */
export function tellOutcome(outcome: Outcome | null, { done, notReceived }: Texts): boolean {
  if (outcome?.kind === 'done') toast.success(done);
  if (outcome?.kind === 'not_received') toast.error(notReceived);
  return outcome?.kind === 'done';
}

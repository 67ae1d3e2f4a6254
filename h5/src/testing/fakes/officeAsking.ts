/** What the parts of the fake back office share: who asks, when, and what is signed. */
import type { ToSign } from '../../admin/types';

/** A proposal ends after so long. */
export const DAYS_MS = 72 * 3_600_000;

export interface Asking {
  /** As decisions name the person. */
  me: string;
  now: number;
  /** What is to be signed for a decision: what the body says, and what it is about. */
  begin(body: Record<string, unknown>, about: object): ToSign;
  /** What was begun last. */
  signed(): { approves: boolean; reason: string };
}

export type Refusal = { status: number; error: string };

export const refuse = (status: number, error: string): never => {
  throw { status, error } satisfies Refusal;
};

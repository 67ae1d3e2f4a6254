/**
 * The two levels of identity verification: how far each is, and when it may be handed in. Rules: the server's; what it
 * refuses is not offered.
 */
import type { BadgeTone } from '@/components/ui';
import type { Verification } from '@/lib/api/schema/verificationCalls';

export const LEVELS = ['basic', 'advanced'] as const;
export type Level = (typeof LEVELS)[number];

/** By the server's numbers. */
const STATES = ['none', 'review', 'passed', 'failed'] as const;
export type LevelState = (typeof STATES)[number];

export const TONES: Record<LevelState, BadgeTone> = { none: 'neutral', review: 'warn', passed: 'up', failed: 'down' };

/** How far a level is and, where it failed, why. */
export function levelOf(data: Verification, level: Level) {
  const { review_status, reason, note, advanced_review_status, advanced_reason, advanced_note } = data;
  return level === 'basic'
    ? { state: STATES[review_status], reason, note }
    : { state: STATES[advanced_review_status], reason: advanced_reason, note: advanced_note };
}

export const isReachable = ({ has_email, has_phone }: Verification): boolean => has_email && has_phone;

/** Whether a level can be handed in now. */
export function isOpen(data: Verification, level: Level): boolean {
  const { state } = levelOf(data, level);
  const isDue = state === 'none' || state === 'failed';
  return isDue && isReachable(data) && (level === 'basic' || levelOf(data, 'basic').state === 'passed');
}

/** As the page's address has it. */
export const TYPES: Record<Level, 1 | 2> = { basic: 1, advanced: 2 };

/** Kinds of documents by the server's numbers. */
export const KINDS = ['idCard', 'passport', 'licence'] as const;

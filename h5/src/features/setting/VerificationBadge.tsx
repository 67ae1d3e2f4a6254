/** Identity verification as the profile tells it (0 none, 1 under audit, 2 passed, 3 failed). */
import type { BadgeTone } from '@/components/ui';
import type { UserInfo } from '@/lib/api/types';

export type VerificationKey = 'none' | 'audit' | 'basic' | 'advanced' | 'failed';

export function verificationState(user: UserInfo | null): { key: VerificationKey; tone: BadgeTone } {
  if (user?.advanced_review_status === 2) return { key: 'advanced', tone: 'up' };
  if (user?.review_status === 1 || user?.advanced_review_status === 1) return { key: 'audit', tone: 'warn' };
  if (user?.review_status === 3 || user?.advanced_review_status === 3) return { key: 'failed', tone: 'down' };
  if (user?.review_status === 2) return { key: 'basic', tone: 'up' };
  return { key: 'none', tone: 'neutral' };
}

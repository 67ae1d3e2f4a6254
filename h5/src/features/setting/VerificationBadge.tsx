import { useTranslation } from 'react-i18next';
import { Badge, type BadgeTone } from '@/components/ui';
import type { UserInfo } from '@/lib/api/types';

type Key = 'none' | 'audit' | 'basic' | 'advanced' | 'failed';

/** By the profile's numbers: 0 none, 1 under review, 2 passed, 3 failed. */
function stateOf({ review_status, advanced_review_status }: UserInfo): { key: Key; tone: BadgeTone } {
  if (advanced_review_status === 2) return { key: 'advanced', tone: 'up' };
  if (review_status === 1 || advanced_review_status === 1) return { key: 'audit', tone: 'warn' };
  if (review_status === 3 || advanced_review_status === 3) return { key: 'failed', tone: 'down' };
  if (review_status === 2) return { key: 'basic', tone: 'up' };
  return { key: 'none', tone: 'neutral' };
}

/** How far the account's identity verification is, as its profile tells it. */
export function VerificationBadge({ user }: { user: UserInfo }) {
  const { t } = useTranslation('setting');
  const { key, tone } = stateOf(user);
  return <Badge tone={tone}>{t(`verification.${key}`)}</Badge>;
}

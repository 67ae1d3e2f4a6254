import { useTranslation } from 'react-i18next';
import { Badge, type BadgeTone } from '@/components/ui';
import type { Hours } from '@/lib/stocks';

const TONES: Record<Hours, BadgeTone> = { open: 'up', break: 'warn', closed: 'neutral', halt: 'down' };

/** Whether a stock is traded now. */
export function SessionBadge({ hours }: { hours: Hours }) {
  const { t } = useTranslation('stock');
  return <Badge tone={TONES[hours]}>{t(`hours.${hours}`)}</Badge>;
}

import { TriangleAlert } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Badge, type BadgeTone } from '@/components/ui';
import type { Network } from './api/networks';
import css from './Deposit.module.css';

type State = Network['state'];

const TONES: Record<State, BadgeTone> = { open: 'up', halted: 'down', behind: 'warn' };

export function StateBadge({ state }: { state: State }) {
  const { t } = useTranslation('deposit');
  return <Badge tone={TONES[state]}>{t(`state.${state}`)}</Badge>;
}

/** Why what is sent now will not be credited as soon as usual. */
export function Banner({ state }: { state: State }) {
  const { t } = useTranslation('deposit');
  if (state === 'open') return null;
  return (
    <div role="status" className={css.banner} data-state={state}>
      <TriangleAlert size={18} aria-hidden="true" />
      <p>{t(`stateNote.${state}`)}</p>
    </div>
  );
}

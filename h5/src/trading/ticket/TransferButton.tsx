import { ArrowLeftRight } from 'lucide-react';
import { IconButton } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { navigateTo } from '@/lib/navigation';
import css from './TransferButton.module.css';

interface Props {
  label: string;
  currency: number;
  /** The account that wants it; none: that of spot. */
  to?: 'lever' | 'micro';
}

/** Beside what is available: the way to more of it. */
export function TransferButton({ label, currency, to }: Props) {
  return (
    <IconButton label={label} className={css.transfer} onClick={() => navigateTo(PATHS.transfer, { currency, to })}>
      <ArrowLeftRight size={13} />
    </IconButton>
  );
}

import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import css from './Toggle.module.css';

interface Props {
  checked: boolean;
  onChange(checked: boolean): void;
  children: ReactNode;
  invalid?: boolean;
}

export function Checkbox({ checked, onChange, children, invalid }: Props) {
  return (
    <label className={css.check}>
      <input
        type="checkbox"
        className="sr-only"
        checked={checked}
        aria-invalid={invalid || undefined}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span className={css.box} aria-hidden="true">
        {checked && <Check size={13} strokeWidth={3} />}
      </span>
      <span>{children}</span>
    </label>
  );
}

import type { Side } from './kinds';
import css from './SideSwitch.module.css';

interface Props {
  /** Of the switch itself, and of both sides. */
  label: string;
  names: Record<Side, string>;
  side: Side;
  onChange(side: Side): void;
}

/** Buy and sell side by side; the chosen one is filled, and the words say it too. */
export function SideSwitch({ label, names, side, onChange }: Props) {
  return (
    <fieldset className={css.switch} data-side={side}>
      <legend className="sr-only">{label}</legend>
      {(['buy', 'sell'] as const).map((value) => (
        <button key={value} type="button" aria-pressed={value === side} onClick={() => onChange(value)}>
          {names[value]}
        </button>
      ))}
    </fieldset>
  );
}

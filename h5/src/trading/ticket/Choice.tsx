import css from './Choice.module.css';

interface Props<V extends string> {
  label: string;
  /** Shown beside the options; otherwise the label is only read out. */
  shown?: boolean;
  options: readonly { value: V; label: string }[];
  value: V;
  onChange(value: NoInfer<V>): void;
  className?: string | undefined;
}

/** One of a few, side by side. */
export function Choice<V extends string>({ label, shown, options, value, onChange, className }: Props<V>) {
  return (
    <fieldset className={className}>
      <legend className="sr-only">{label}</legend>
      <span className={css.choice}>
        {shown && (
          <span className={css.name} aria-hidden="true">
            {label}
          </span>
        )}
        {options.map((option) => (
          <button
            key={option.value}
            type="button"
            aria-pressed={value === option.value}
            onClick={() => onChange(option.value)}
          >
            {option.label}
          </button>
        ))}
      </span>
    </fieldset>
  );
}

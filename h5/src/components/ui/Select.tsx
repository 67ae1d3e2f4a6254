import clsx from 'clsx';
import { Check, ChevronDown } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { Sheet } from './Overlay';
import { SearchBox } from './SearchBox';
import css from './Select.module.css';

export interface Option<V extends string | number> {
  value: V;
  label: string;
  note?: ReactNode;
  icon?: ReactNode;
  disabled?: boolean;
}

interface OptionListProps<V extends string | number> {
  options: readonly Option<V>[];
  value: V | null;
  onChange(value: NoInfer<V>): void;
  label: string;
}

/** The rows of a choice: one tap chooses. */
export function OptionList<V extends string | number>({ options, value, onChange, label }: OptionListProps<V>) {
  return (
    <ul className={css.options} aria-label={label}>
      {options.map((option) => (
        <li key={option.value}>
          <button
            type="button"
            className={css.option}
            aria-pressed={option.value === value}
            disabled={option.disabled}
            onClick={() => onChange(option.value)}
          >
            {option.icon}
            <span className={css.text}>
              <span>{option.label}</span>
              {option.note && <span className={css.note}>{option.note}</span>}
            </span>
            {option.value === value && <Check size={18} className={css.check} aria-hidden="true" />}
          </button>
        </li>
      ))}
    </ul>
  );
}

interface SelectProps<V extends string | number> extends OptionListProps<V> {
  placeholder?: string;
  hideLabel?: boolean;
  /** `field` looks like an input, `inline` like text with an arrow. */
  look?: 'field' | 'inline';
  className?: string;
  /** Shown of the choice that was made, where that is shorter than its label. */
  shown?: string;
  error?: string | undefined;
  /** Of long lists: what they are searched by, and which rows are found. */
  search?: { label: string; none: string; finds(option: Option<V>, text: string): boolean };
}

/** A choice whose options come up as a sheet: within the thumb's reach on a phone. */
export function Select<V extends string | number>({
  options,
  value,
  onChange,
  label,
  placeholder,
  hideLabel,
  look = 'field',
  className,
  shown,
  error,
  search,
}: SelectProps<V>) {
  const [open, setOpen] = useState(false);
  const [text, setText] = useState('');
  const id = useId();
  const chosen = options.find((option) => option.value === value);
  const found = search ? options.filter((option) => search.finds(option, text)) : options;
  return (
    <div className={clsx(css.select, className)}>
      <span id={id} className={hideLabel ? 'sr-only' : css.label}>
        {label}
      </span>
      <button
        type="button"
        id={`${id}-button`}
        aria-labelledby={`${id} ${id}-button`}
        aria-haspopup="dialog"
        aria-describedby={error ? `${id}-error` : undefined}
        className={clsx(css.trigger, css[look], error && css.invalid)}
        onClick={() => {
          setText('');
          setOpen(true);
        }}
      >
        {chosen?.icon}
        <span className={clsx(css.value, !chosen && css.placeholder)}>
          {(chosen && shown) ?? chosen?.label ?? placeholder}
        </span>
        <ChevronDown size={16} className={css.arrow} aria-hidden="true" />
      </button>
      {error && (
        <p id={`${id}-error`} role="alert" className={css.error}>
          {error}
        </p>
      )}
      <Sheet open={open} onClose={() => setOpen(false)} title={label}>
        {search && (
          <div className={css.search}>
            <SearchBox label={search.label} value={text} onChange={setText} />
          </div>
        )}
        <div className={clsx(search && css.found)}>
          {found.length === 0 && <p className={css.none}>{search?.none}</p>}
          <OptionList
            label={label}
            options={found}
            value={value}
            onChange={(next) => {
              setOpen(false);
              onChange(next);
            }}
          />
        </div>
      </Sheet>
    </div>
  );
}

import { Minus, Plus } from 'lucide-react';
import { type InputHTMLAttributes, type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';
import css from './Stepper.module.css';

interface Props extends Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange' | 'value' | 'prefix'> {
  label: string;
  /** The text as typed: rounding it while somebody types would fight them. */
  value: string;
  onChange(text: string): void;
  onStep(direction: 1 | -1): void;
  suffix?: ReactNode;
  error?: string | undefined;
}

/** A number with a finger-sized minus and plus; the caller decides what one step is. */
export function Stepper({ label, value, onChange, onStep, suffix, error, disabled, ...rest }: Props) {
  const { t } = useTranslation();
  const id = useId();
  return (
    <div className={css.field}>
      <div className={css.box} data-invalid={error ? true : undefined}>
        <button
          type="button"
          className={css.step}
          aria-label={t('stepper.less', { label })}
          disabled={disabled}
          onClick={() => onStep(-1)}
        >
          <Minus size={16} />
        </button>
        <span className={css.middle}>
          <label htmlFor={id} className={css.label}>
            {label}
          </label>
          <input
            {...rest}
            id={id}
            placeholder=" "
            inputMode="decimal"
            autoComplete="off"
            disabled={disabled}
            className={`num ${css.input}`}
            value={value}
            aria-invalid={error ? true : undefined}
            aria-describedby={error ? `${id}-error` : undefined}
            onChange={(event) => onChange(cleanDecimal(event.target.value))}
          />
        </span>
        {suffix && <span className={css.suffix}>{suffix}</span>}
        <button
          type="button"
          className={css.step}
          aria-label={t('stepper.more', { label })}
          disabled={disabled}
          onClick={() => onStep(1)}
        >
          <Plus size={16} />
        </button>
      </div>
      {error && (
        <p id={`${id}-error`} role="alert" className={css.error}>
          {error}
        </p>
      )}
    </div>
  );
}

/** What may be typed into a decimal field: digits and one point; a comma counts as the point. */
export function cleanDecimal(text: string): string {
  const digits = text.replaceAll(',', '.').replace(/[^\d.]/g, '');
  const [whole = '', ...rest] = digits.split('.');
  return rest.length > 0 ? `${whole || '0'}.${rest.join('')}` : whole.replace(/^0+(?=\d)/, '');
}

interface SliderProps {
  label: string;
  /** 0-100, or up to `max`. */
  value: number;
  onChange(value: number): void;
  disabled?: boolean;
  max?: number;
  /** Values with a dot. */
  marks?: readonly number[];
  /** What is read out for the value; a percentage unless it says otherwise. */
  valueText?: string;
}

const MARKS = [0, 25, 50, 75, 100] as const;

export function Slider({ label, value, onChange, disabled, max = 100, marks = MARKS, valueText }: SliderProps) {
  return (
    <div className={css.slider}>
      <div className={css.track} aria-hidden="true">
        <div className={css.fill} style={{ transform: `scaleX(${value / max})` }} />
        {marks.map((mark) => (
          <i
            key={mark}
            className={css.mark}
            data-on={mark <= value || undefined}
            style={{ left: `${(mark / max) * 100}%` }}
          />
        ))}
      </div>
      <input
        type="range"
        min={0}
        max={max}
        step={1}
        aria-label={label}
        aria-valuetext={valueText ?? `${value}%`}
        className={css.range}
        value={value}
        disabled={disabled}
        onChange={(event) => onChange(Number(event.target.value))}
      />
    </div>
  );
}

const CHIPS = [25, 50, 75, 100] as const;

type ChipsProps = Pick<SliderProps, 'label' | 'onChange' | 'disabled'> & { value?: number };

export function PercentChips({ label, value, onChange, disabled }: ChipsProps) {
  return (
    <fieldset className={css.chips} disabled={disabled}>
      <legend className="sr-only">{label}</legend>
      {CHIPS.map((percent) => (
        <button
          key={percent}
          type="button"
          className={`num ${css.chip}`}
          aria-pressed={value === percent}
          onClick={() => onChange(percent)}
        >
          {percent}%
        </button>
      ))}
    </fieldset>
  );
}

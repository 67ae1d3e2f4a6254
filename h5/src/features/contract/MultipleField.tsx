import { useTranslation } from 'react-i18next';
import { Slider } from '@/components/ui';
import css from './MultipleField.module.css';

interface Props {
  multiples: readonly number[];
  value: number;
  /** The bracket's; undefined while there is no size. */
  cap: number | undefined;
  error: string | undefined;
  onChange(multiple: number): void;
}

/** The multiples on offer: a slider for the thumb, chips for a tap, and what the size allows. */
export function MultipleField({ multiples, value, cap, error, onChange }: Props) {
  const { t } = useTranslation('contract');
  const last = multiples.length - 1;
  return (
    <div className={css.field}>
      <p className={css.head}>
        <span>{t('form.multiple')}</span>
        <b className="num">{value}×</b>
        {cap !== undefined && <span className={css.cap}>{t('form.multipleCap', { multiple: cap })}</span>}
      </p>
      {last > 0 && (
        <Slider
          label={t('form.multiple')}
          value={Math.max(multiples.indexOf(value), 0)}
          max={last}
          marks={multiples.map((_, index) => index)}
          valueText={`${value}×`}
          onChange={(index) => onChange(multiples[index] ?? value)}
        />
      )}
      <fieldset className={css.chips}>
        <legend className="sr-only">{t('form.multiple')}</legend>
        {multiples.map((multiple) => (
          <button
            key={multiple}
            type="button"
            className="num"
            aria-pressed={multiple === value}
            disabled={cap !== undefined && multiple > cap && multiple !== value}
            onClick={() => onChange(multiple)}
          >
            {multiple}×
          </button>
        ))}
      </fieldset>
      {error && (
        <p role="alert" className={css.error}>
          {error}
        </p>
      )}
    </div>
  );
}

import { useTranslation } from 'react-i18next';
import type { Side } from './kinds';
import css from './SideSwitch.module.css';

interface Props {
  side: Side;
  onChange(side: Side): void;
}

/** Buy and sell side by side; the chosen one is filled, and the words say it too. */
export function SideSwitch({ side, onChange }: Props) {
  const { t } = useTranslation('trade');
  return (
    <fieldset className={css.switch} data-side={side}>
      <legend className="sr-only">{t('ticket.side')}</legend>
      {(['buy', 'sell'] as const).map((value) => (
        <button key={value} type="button" aria-pressed={value === side} onClick={() => onChange(value)}>
          {t(`ticket.${value}`)}
        </button>
      ))}
    </fieldset>
  );
}

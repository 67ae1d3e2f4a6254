import { Search, X } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { IconButton } from './Button';
import css from './SearchBox.module.css';

interface Props {
  label: string;
  value: string;
  onChange(text: string): void;
}

export function SearchBox({ label, value, onChange }: Props) {
  const { t } = useTranslation();
  return (
    <search className={css.box}>
      <Search size={17} aria-hidden="true" />
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        value={value}
        autoComplete="off"
        autoCorrect="off"
        spellCheck={false}
        maxLength={40}
        className={css.input}
        onChange={(event) => onChange(event.target.value)}
      />
      {value && (
        <IconButton label={t('clear')} className={css.clear} onClick={() => onChange('')}>
          <X size={16} />
        </IconButton>
      )}
    </search>
  );
}

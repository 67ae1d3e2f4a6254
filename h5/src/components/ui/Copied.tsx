import clsx from 'clsx';
import { Copy } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { copyText } from '@/lib/clipboard';
import { IconButton } from './Button';
import css from './Copied.module.css';

interface Props {
  label: string;
  text: string;
  /** `line` cuts what is too long, `whole` breaks it, `block` keeps its lines and scrolls. */
  look?: 'line' | 'whole' | 'block';
  hideLabel?: boolean;
}

/** A text that is copied rather than read. */
export function Copied({ label, text, look = 'line', hideLabel }: Props) {
  const { t } = useTranslation('setting');
  return (
    <div className={clsx(css.copied, look === 'block' && css.framed)}>
      <span className={hideLabel ? 'sr-only' : css.name}>{label}</span>
      {look === 'block' ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard.
        <pre className={css.block} tabIndex={0}>
          <code>{text}</code>
        </pre>
      ) : (
        <code className={css[look]}>{text}</code>
      )}
      <IconButton label={t('apiKeys.copy', { name: label })} className={css.button} onClick={() => void copyText(text)}>
        <Copy size={18} />
      </IconButton>
    </div>
  );
}

import { Copy, Download } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Button } from '@/components/ui';
import { copyText } from '@/lib/clipboard';
import css from './AuthenticatorPage.module.css';

function save(codes: readonly string[]): void {
  const url = URL.createObjectURL(new Blob([`${codes.join('\n')}\n`], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = 'recovery-codes.txt';
  link.click();
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Codes that are told once: not in a dialog, which a stray tap would close for ever. */
export function RecoveryCodes({ codes, onStored }: { codes: readonly string[]; onStored(): void }) {
  const { t } = useTranslation('setting');
  return (
    <section className={css.body} aria-label={t('authenticator.recovery')}>
      <h2 className={css.title}>{t('authenticator.recovery')}</h2>
      <p className={css.warn}>{t('authenticator.recoveryNote')}</p>
      <ul className={css.codes}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className={css.two}>
        <Button tone="secondary" icon={<Copy size={16} />} onClick={() => void copyText(codes.join('\n'))}>
          {t('authenticator.copy')}
        </Button>
        <Button tone="secondary" icon={<Download size={16} />} onClick={() => save(codes)}>
          {t('authenticator.download')}
        </Button>
      </div>
      <Button block size="l" onClick={onStored}>
        {t('apiKeys.stored')}
      </Button>
    </section>
  );
}

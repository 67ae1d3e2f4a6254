/** The anti-phishing text that every mail carries, by which its reader knows that it is ours. */
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { SuretyField } from '@/components/safe';
import { Button, ErrorState, Input, NavBar, SkeletonRows } from '@/components/ui';
import { isComplete, SAFE_STATE, type SafeState, useHasFactor, useSafeState } from '@/lib/api/safe';
import { back } from '@/lib/navigation';
import { useOnline } from '@/lib/online';
import { toast } from '@/lib/toast';
import css from './AuthenticatorPage.module.css';
import { isPhrase, setMailPhrase } from './api/protection';

export default function MailPhrasePage() {
  const { t } = useTranslation('protection');
  const { data, error, isPending, refetch } = useSafeState();
  return (
    <>
      <NavBar title={t('phrase.title')} />
      {error && <ErrorState compact={data !== undefined} error={error} onRetry={() => void refetch()} />}
      {isPending && <SkeletonRows rows={3} icon={false} />}
      {data && <PhraseForm safe={data} />}
    </>
  );
}

function PhraseForm({ safe }: { safe: SafeState }) {
  const { t } = useTranslation('protection');
  const { t: c } = useTranslation();
  const online = useOnline();
  const client = useQueryClient();
  const [phrase, setPhrase] = useState(safe.mail_phrase ?? '');
  const [text, setText] = useState('');
  /** The text was sent once: what is wrong with it is shown; likewise of what confirms it. */
  const [tried, setTried] = useState({ phrase: false, surety: false });
  const [sending, setSending] = useState(false);
  const [refused, setRefused] = useState({ field: false, why: '' });
  const by = { hasFactor: useHasFactor(), text };

  async function save(words: string) {
    setTried({ phrase: words !== '', surety: true });
    setRefused({ field: false, why: '' });
    if ((words !== '' && !isPhrase(words)) || !isComplete(by)) return;
    setSending(true);
    const saved = await setMailPhrase(words, by);
    setSending(false);
    if (!saved.ok) {
      if (by.hasFactor) setText('');
      setTried({ phrase: words !== '', surety: false });
      setRefused({ field: saved.field, why: saved.why || c('error.unknown') });
      return;
    }
    void client.invalidateQueries({ queryKey: SAFE_STATE });
    toast.success(t(words === '' ? 'phrase.removed' : 'phrase.saved'));
    back();
  }

  const problem = refused.field ? refused.why : tried.phrase && !isPhrase(phrase) ? t('phrase.form') : undefined;
  return (
    <form
      className={css.body}
      noValidate
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        void save(phrase);
      }}
    >
      <p className={css.note}>{t('phrase.note')}</p>
      {!safe.has_email && <p className={css.warn}>{t('phrase.noMail')}</p>}
      <Input
        label={t('phrase.label')}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        value={phrase}
        hint={t('phrase.hint')}
        error={problem}
        onChange={(event) => {
          setPhrase(event.target.value.trim());
          setRefused({ field: false, why: '' });
        }}
      />
      <SuretyField value={text} onChange={setText} tried={tried.surety} />
      <p role="alert" className={css.refused}>
        {refused.field ? '' : refused.why}
      </p>
      <Button type="submit" size="l" block loading={sending} disabled={!online} throttleMs={1000}>
        {online ? t('phrase.save') : c('error.offline')}
      </Button>
      {safe.mail_phrase !== null && (
        <Button tone="secondary" size="l" block disabled={!online || sending} onClick={() => void save('')}>
          {t('phrase.remove')}
        </Button>
      )}
    </form>
  );
}

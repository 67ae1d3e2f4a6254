import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { SuretyField } from '@/components/safe';
import { Button, Checkbox, Input, Sheet, Tabs } from '@/components/ui';
import { isComplete, useHasFactor } from '@/lib/api/safe';
import css from './ApiKeysPage.module.css';
import { type ApiKey, createKey, type NewApiKey, updateKey } from './api/apiKeys';
import { type FormProblem, formOf, type KeyForm, KIND_NAMES, KINDS, problemsOf, SCOPES, type Scope } from './keyForm';

interface Props {
  open: boolean;
  /** The key that is changed; none: one is made. */
  apiKey: ApiKey | null;
  onClose(): void;
  /** What was made, or nothing when a key was changed. */
  onDone(made: NewApiKey | null): void;
}

export function ApiKeyForm({ open, apiKey, onClose, onDone }: Props) {
  const { t } = useTranslation('setting');
  const [form, setForm] = useState<KeyForm>(() => formOf(apiKey));
  const [tried, setTried] = useState(false);
  const [sending, setSending] = useState(false);
  const isNew = apiKey === null;
  const by = { hasFactor: useHasFactor(), text: form.password };
  const problems = problemsOf(form, isNew);
  const change = (patch: Partial<KeyForm>) => setForm({ ...form, ...patch });
  const problem = (name: FormProblem) => (tried && problems.includes(name) ? t(`apiKeys.problem.${name}`) : undefined);

  const toggle = (scope: Scope, on: boolean) =>
    change({ scopes: SCOPES.filter((other) => (other === scope ? on : form.scopes.includes(other))) });

  async function submit() {
    setTried(true);
    if (problems.length > 0 || !isComplete(by)) return;
    setSending(true);
    if (apiKey) {
      const reply = await updateKey(apiKey.id, form, by);
      if (reply.ok) onDone(null);
    } else {
      const reply = await createKey(form, by);
      if (reply.ok) onDone(reply.data);
    }
    setSending(false);
  }

  return (
    <Sheet open={open} onClose={onClose} title={t(isNew ? 'apiKeys.create' : 'apiKeys.edit')}>
      <form
        className={css.form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <Input
          label={t('apiKeys.label')}
          autoComplete="off"
          value={form.label}
          error={problem('label')}
          onChange={(event) => change({ label: event.target.value })}
        />
        {isNew && (
          <div>
            <Tabs
              look="segment"
              label={t('apiKeys.kind')}
              items={KINDS.map((value) => ({ value, label: KIND_NAMES[value] }))}
              value={form.kind}
              onChange={(kind) => change({ kind })}
            />
            <p className={css.hint}>{t(`apiKeys.kindNote.${form.kind}`)}</p>
          </div>
        )}
        {isNew && form.kind === 'ed25519' && (
          <Input
            label={t('apiKeys.publicKey')}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            placeholder="MCowBQYDK2VwAyEA…"
            value={form.publicKey}
            error={problem('publicKey')}
            onChange={(event) => change({ publicKey: event.target.value })}
          />
        )}
        <fieldset className={css.scopes}>
          <legend>{t('apiKeys.scopes')}</legend>
          {SCOPES.map((scope) => (
            <Checkbox
              key={scope}
              checked={form.scopes.includes(scope)}
              invalid={problem('scopes') !== undefined}
              onChange={(on) => toggle(scope, on)}
            >
              {t(`apiKeys.scope.${scope}`)}
            </Checkbox>
          ))}
          {problem('scopes') && (
            <p role="alert" className={css.problem}>
              {problem('scopes')}
            </p>
          )}
        </fieldset>
        <Input
          label={t('apiKeys.ips')}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          placeholder="203.0.113.7, 2001:db8::/32"
          value={form.ips}
          error={problem('ips')}
          hint={t('apiKeys.ipsHint')}
          onChange={(event) => change({ ips: event.target.value })}
        />
        <SuretyField value={form.password} tried={tried} onChange={(password) => change({ password })} />
        <Button type="submit" size="l" block loading={sending} throttleMs={1000}>
          {t(isNew ? 'apiKeys.create' : 'apiKeys.save')}
        </Button>
      </form>
    </Sheet>
  );
}

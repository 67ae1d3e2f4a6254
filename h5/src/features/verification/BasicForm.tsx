import { type FormEvent, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, Input, Select } from '@/components/ui';
import { areasIn, isSearched } from '@/lib/areas';
import { LANGUAGE_TAGS, useLanguage } from '@/lib/i18n';
import { useOnline } from '@/lib/online';
import { useSubmit } from './api/submit';
import { KINDS, TYPES } from './levels';
import { type Person, type PersonField, problemsOf, tidyName } from './person';
import css from './Verification.module.css';

/** What the server calls the fields. */
const FIELDS: Readonly<Record<string, PersonField>> = {
  country: 'country',
  region: 'country',
  id_type: 'kind',
  name: 'name',
  card_id: 'number',
};

/** Who somebody is, by a document. */
export function BasicForm({ onSent }: { onSent(): void }) {
  const { t } = useTranslation('verification');
  const { t: a } = useTranslation('account');
  const { t: c } = useTranslation();
  const online = useOnline();
  const submit = useSubmit();
  const tag = LANGUAGE_TAGS[useLanguage()];
  const areas = useMemo(() => areasIn(tag), [tag]);
  const [person, setPerson] = useState<Person>({ region: null, country: null, kind: null, name: '', number: '' });
  /** Fields that were left once: what is wrong with them is told from then on. */
  const [left, setLeft] = useState<ReadonlySet<PersonField>>(new Set());
  const [sending, setSending] = useState(false);
  const [refused, setRefused] = useState<{ field?: PersonField | undefined; why: string }>({ why: '' });
  const problems = problemsOf(person);
  const area = areas.find(({ region }) => region === person.region);

  const leave = (...fields: PersonField[]) => setLeft(new Set([...left, ...fields]));
  function change(field: PersonField, patch: Partial<Person>) {
    setPerson({ ...person, ...patch });
    if (refused.field === field) setRefused({ why: '' });
  }
  function problem(field: PersonField): string | undefined {
    if (refused.field === field) return refused.why;
    const name = problems[field];
    return name && left.has(field) ? t(`problem.${name}`) : undefined;
  }

  async function send(event: FormEvent) {
    event.preventDefault();
    leave('country', 'kind', 'name', 'number');
    setRefused({ why: '' });
    const { region, country, kind } = person;
    if (Object.values(problems).some(Boolean) || country === null || kind === null) return;
    setSending(true);
    const answer = await submit({
      real_type: TYPES.basic,
      id_type: kind,
      country,
      ...(region !== null && { region }),
      name: tidyName(person.name),
      card_id: person.number.trim(),
    });
    setSending(false);
    if (answer.done) return onSent();
    const field = answer.fields.map((name) => FIELDS[name]).find(Boolean);
    setRefused({ field, why: answer.why || c('error.unknown') });
  }

  return (
    <form className={css.form} noValidate onSubmit={(event) => void send(event)}>
      <p className={css.lead}>{t('form.lead')}</p>
      <Select
        label={t('data.country')}
        placeholder={t('form.choose')}
        value={person.region}
        options={areas.map(({ region, code, name }) => ({ value: region, label: name, note: `+${code}` }))}
        shown={area && `${area.name} (+${area.code})`}
        search={{
          label: a('area.search'),
          none: a('area.none'),
          finds: ({ value }, text) => areas.some((row) => row.region === value && isSearched(row, text)),
        }}
        error={problem('country')}
        onChange={(region) =>
          change('country', { region, country: areas.find((row) => row.region === region)?.code ?? null })
        }
      />
      <Select
        label={t('data.kind')}
        placeholder={t('form.choose')}
        value={person.kind}
        options={KINDS.map((name, value) => ({ value, label: t(`kind.${name}`) }))}
        error={problem('kind')}
        onChange={(kind) => change('kind', { kind: kind as Person['kind'] })}
      />
      <Input
        label={t('data.name')}
        autoComplete="name"
        spellCheck={false}
        maxLength={80}
        value={person.name}
        hint={t('form.nameHint')}
        error={problem('name')}
        onBlur={() => person.name !== '' && leave('name')}
        onChange={({ target }) => change('name', { name: target.value })}
      />
      <Input
        label={t('data.number')}
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        maxLength={40}
        value={person.number}
        hint={t('form.numberHint')}
        error={problem('number')}
        onBlur={() => person.number !== '' && leave('number')}
        onChange={({ target }) => change('number', { number: target.value })}
      />
      <p role="alert" className={css.refused}>
        {refused.field ? '' : refused.why}
      </p>
      <Button type="submit" size="l" block loading={sending} disabled={!online} throttleMs={1000}>
        {online ? t('form.submit') : c('error.offline')}
      </Button>
    </form>
  );
}

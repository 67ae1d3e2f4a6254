/** The form of a bank card: all fields are needed, and the save is confirmed like a withdrawal address. */
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { SuretyField } from '@/components/safe';
import { Button, Input } from '@/components/ui';
import { isComplete, useHasFactor } from '@/lib/api/safe';
import { useOnline } from '@/lib/online';
import { toast } from '@/lib/toast';
import { CARDS, saveCard } from './api/cards';
import css from './Cards.module.css';
import { type Form, formsOf, type Kind, problemOf } from './fields';

/** How a field is typed. */
const TYPED = {
  words: { spellCheck: false },
  account: { autoCapitalize: 'characters', spellCheck: false, maxLength: 60 },
  swift: { autoCapitalize: 'characters', spellCheck: false, maxLength: 11 },
  phone: { inputMode: 'tel', maxLength: 30 },
} as const satisfies Record<Form, object>;

interface Props {
  kind: Kind;
  labels: readonly string[];
  onSaved(): void;
  /** Back to the card that is saved. */
  onCancel?(): void;
}

export function CardForm({ kind, labels, onSaved, onCancel }: Props) {
  const { t } = useTranslation('protection');
  const { t: c } = useTranslation();
  const online = useOnline();
  const client = useQueryClient();
  const forms = formsOf(kind);
  const [texts, setTexts] = useState<readonly string[]>(() => forms.map(() => ''));
  /** Fields that were left once: what is wrong with them is told from then on. */
  const [left, setLeft] = useState<ReadonlySet<number>>(new Set());
  const [surety, setSurety] = useState({ text: '', tried: false });
  const [sending, setSending] = useState(false);
  const [refused, setRefused] = useState<{ wrong: number | null; why: string }>({ wrong: null, why: '' });
  const by = { hasFactor: useHasFactor(), text: surety.text };
  const problems = forms.map((form, at) => problemOf(form, texts[at] ?? ''));

  function change(at: number, text: string) {
    setTexts(texts.map((old, place) => (place === at ? text : old)));
    if (refused.wrong === at) setRefused({ wrong: null, why: '' });
  }

  function problem(at: number): string | undefined {
    const form = forms[at];
    if (refused.wrong === at && form) return t(`card.problem.${form}`);
    const name = problems[at];
    return name && left.has(at) ? t(`card.problem.${name}`) : undefined;
  }

  async function send(event: FormEvent) {
    event.preventDefault();
    setLeft(new Set(forms.keys()));
    setSurety({ ...surety, tried: true });
    setRefused({ wrong: null, why: '' });
    if (problems.some(Boolean) || !isComplete(by)) return;
    setSending(true);
    const saved = await saveCard(
      kind,
      texts.map((text) => text.trim()),
      by,
    );
    if (saved.ok) {
      // The form goes once what is saved is known.
      await client.invalidateQueries({ queryKey: CARDS });
      setSending(false);
      toast.success(t('card.saved'));
      return onSaved();
    }
    setSending(false);
    if (by.hasFactor && saved.spent) setSurety({ text: '', tried: false });
    setRefused({ wrong: saved.wrong, why: saved.why || c('error.unknown') });
  }

  return (
    <form className={css.body} noValidate onSubmit={(event) => void send(event)}>
      {labels.map((label, at) => (
        <Input
          key={label}
          label={label}
          autoComplete="off"
          {...TYPED[forms[at] ?? 'words']}
          value={texts[at] ?? ''}
          error={problem(at)}
          onBlur={() => texts[at] !== '' && setLeft(new Set([...left, at]))}
          onChange={({ target }) => change(at, target.value)}
        />
      ))}
      <SuretyField
        value={surety.text}
        onChange={(text: string) => setSurety({ ...surety, text })}
        tried={surety.tried}
      />
      <p role="alert" className={css.refused}>
        {refused.wrong === null ? refused.why : ''}
      </p>
      <Button type="submit" size="l" block loading={sending} disabled={!online} throttleMs={1000}>
        {online ? t('card.save') : c('error.offline')}
      </Button>
      {onCancel && (
        <Button tone="secondary" size="l" block onClick={onCancel}>
          {c('cancel')}
        </Button>
      )}
    </form>
  );
}

/** A bank card: what is saved of it, masked, or the form that saves another. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'react-router';
import { Button, ConfirmDialog, ErrorState, NavBar, SkeletonRows, Tabs } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { formatMoment } from '@/lib/format';
import { redirectTo } from '@/lib/navigation';
import { useOnline } from '@/lib/online';
import { toast } from '@/lib/toast';
import { CARDS, type Card, removeCard, useCard } from './api/cards';
import { CardForm } from './CardForm';
import css from './Cards.module.css';
import { DOMESTIC, type Kind } from './fields';

const PAGES = { domestic: PATHS.bank, international: PATHS.bankInternational } as const;

export default function CardPage() {
  const kind = useLocation().pathname === PATHS.bankInternational ? 'international' : 'domestic';
  // Nothing of the one is left when the other is opened.
  return <OneCard key={kind} kind={kind} />;
}

function OneCard({ kind }: { kind: Kind }) {
  const { t } = useTranslation('protection');
  const { data, error, isPending, refetch } = useCard(kind);
  const [changing, setChanging] = useState(false);
  const labels = data && (kind === 'domestic' ? DOMESTIC.map(({ name }) => t(`card.field.${name}`)) : data.forms);
  return (
    <>
      <NavBar title={t('card.title')} />
      <Tabs
        look="segment"
        label={t('card.kinds')}
        className={css.kinds}
        value={kind}
        items={(['domestic', 'international'] as const).map((value) => ({ value, label: t(`card.${value}`) }))}
        onChange={(next) => redirectTo(PAGES[next])}
      />
      <p className={css.note}>{t('card.note')}</p>
      {error && <ErrorState compact={data !== undefined} error={error} onRetry={() => void refetch()} />}
      {isPending && <SkeletonRows rows={6} icon={false} />}
      {data &&
        labels &&
        (data.texts.length > 0 && !changing ? (
          <SavedCard kind={kind} card={data} labels={labels} change={() => setChanging(true)} />
        ) : (
          <CardForm
            kind={kind}
            labels={labels}
            onSaved={() => setChanging(false)}
            {...(changing && { onCancel: () => setChanging(false) })}
          />
        ))}
    </>
  );
}

interface SavedProps {
  kind: Kind;
  card: Card;
  labels: readonly string[];
  change(): void;
}

function SavedCard({ kind, card, labels, change }: SavedProps) {
  const { t } = useTranslation('protection');
  const online = useOnline();
  const client = useQueryClient();
  const [asks, setAsks] = useState(false);
  const [busy, setBusy] = useState(false);

  async function remove() {
    setBusy(true);
    const removed = await removeCard(kind);
    await client.invalidateQueries({ queryKey: CARDS });
    setBusy(false);
    setAsks(false);
    if (removed) toast.success(t('card.removed'));
  }

  return (
    <div className={css.body}>
      <dl className={css.facts}>
        {labels.map((label, at) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{card.texts[at]}</dd>
          </div>
        ))}
      </dl>
      <p className={css.dim}>{t('card.savedAt', { date: formatMoment(card.savedAtMs) })}</p>
      <Button size="l" block disabled={!online} onClick={change}>
        {t('card.change')}
      </Button>
      <Button tone="secondary" size="l" block disabled={!online} onClick={() => setAsks(true)}>
        {t('card.remove')}
      </Button>
      <ConfirmDialog
        open={asks}
        title={t('card.removeTitle')}
        confirmText={t('card.remove')}
        tone="danger"
        loading={busy}
        onConfirm={() => void remove()}
        onClose={() => setAsks(false)}
      >
        {t('card.removeNote')}
      </ConfirmDialog>
    </div>
  );
}

/** What is told of a level: how far it is, what was handed in, why it failed. */
import { useTranslation } from 'react-i18next';
import { Badge } from '@/components/ui';
import { areaName, countriesOf } from '@/lib/areas';
import { formatMoment } from '@/lib/format';
import { LANGUAGE_TAGS, useLanguage } from '@/lib/i18n';
import type { Verification, VerifiedDocument } from './api/state';
import { KINDS, type Level, levelOf, TONES } from './levels';
import css from './Verification.module.css';

interface Props {
  data: Verification;
  level: Level;
}

export function LevelBadge({ data, level }: Props) {
  const { t } = useTranslation('verification');
  const { state } = levelOf(data, level);
  return <Badge tone={TONES[state]}>{t(`state.${state}`)}</Badge>;
}

/** What the reader is told besides the state: why it failed, or that there is nothing to do. */
export function LevelNote({ data, level }: Props) {
  const { t } = useTranslation('verification');
  const { state, reason, note } = levelOf(data, level);
  if (state === 'review') return <p className={css.dim}>{t('reviewNote')}</p>;
  if (state !== 'failed') return null;
  return (
    <div className={css.why}>
      <p>
        <b>{t('why')}</b>
        {reason !== '' && t(`reason.${reason}`)}
      </p>
      {note !== '' && (
        <p>
          {t('note')} <q>{note}</q>
        </p>
      )}
    </div>
  );
}

/** The document that was handed in, as far as it is shown. */
export function Handed({ data }: { data: VerifiedDocument }) {
  const { t } = useTranslation('verification');
  const tag = LANGUAGE_TAGS[useLanguage()];
  const rows = [
    ['kind', t(`kind.${KINDS[data.id_type]}`)],
    ['country', data.region === '' ? countriesOf(data.country, tag) : areaName(data.region, tag)],
    ['name', data.name],
    ['number', data.card_id],
    ['sent', formatMoment(data.create_ms)],
  ] as const;
  return (
    <section>
      <h3 className={css.heading}>{t('handed')}</h3>
      <dl className={css.facts}>
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{t(`data.${name}`)}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

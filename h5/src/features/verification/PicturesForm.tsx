import { Check, Lock } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '@/components/ui';
import { useOnline } from '@/lib/online';
import type { VerifiedDocument } from './api/state';
import { useSubmit } from './api/submit';
import { KINDS } from './levels';
import { PictureField } from './PictureField';
import { type Upload, usePicture } from './usePicture';
import css from './Verification.module.css';

const PASSPORT = 1;
const GOOD = ['whole', 'sharp', 'original'] as const;

const problemOf = ({ at }: Upload) => (at === 'waiting' || at === 'sending' ? 'onTheWay' : 'picture');

/** Pictures of the document that basic verification named. */
export function PicturesForm({ data, onSent }: { data: VerifiedDocument | null; onSent(): void }) {
  const { t } = useTranslation('verification');
  const { t: c } = useTranslation();
  const online = useOnline();
  const submit = useSubmit();
  const front = usePicture();
  const reverse = usePicture();
  const [tried, setTried] = useState(false);
  const [sending, setSending] = useState(false);
  const [refused, setRefused] = useState('');
  const isPassport = data?.id_type === PASSPORT;

  async function send(event: FormEvent) {
    event.preventDefault();
    setTried(true);
    setRefused('');
    if (front.upload.at !== 'done' || reverse.upload.at !== 'done') return;
    setSending(true);
    const answer = await submit({
      real_type: 2,
      front_pic: front.upload.reference,
      reverse_pic: reverse.upload.reference,
    });
    setSending(false);
    if (answer.done) onSent();
    else setRefused(answer.why || c('error.unknown'));
  }

  const side = (picture: typeof front, label: string) => (
    <PictureField
      label={label}
      picture={picture}
      problem={tried && picture.upload.at !== 'done' ? t(`problem.${problemOf(picture.upload)}`) : undefined}
    />
  );

  return (
    <form className={css.form} noValidate onSubmit={(event) => void send(event)}>
      {data && <p className={css.lead}>{t('picture.lead', { kind: t(`kind.${KINDS[data.id_type]}`) })}</p>}
      <div className={css.sides}>
        {side(front, t(isPassport ? 'picture.photoPage' : 'picture.front'))}
        {side(reverse, t(isPassport ? 'picture.cover' : 'picture.reverse'))}
      </div>
      <section className={css.good}>
        <h2 className={css.heading}>{t('picture.goodTitle')}</h2>
        <ul>
          {GOOD.map((name) => (
            <li key={name}>
              <Check size={15} aria-hidden="true" />
              {t(`picture.good.${name}`)}
            </li>
          ))}
        </ul>
      </section>
      <p className={css.sealed}>
        <Lock size={16} aria-hidden="true" />
        {t('picture.sealed')}
      </p>
      <p role="alert" className={css.refused}>
        {refused}
      </p>
      <Button type="submit" size="l" block loading={sending} disabled={!online} throttleMs={1000}>
        {online ? t('form.submit') : c('error.offline')}
      </Button>
    </form>
  );
}

import clsx from 'clsx';
import { Camera, CircleCheck, ImageUp, RotateCw } from 'lucide-react';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '@/components/ui';
import type { Picture } from './usePicture';
import css from './Verification.module.css';

interface Props {
  /** Which side of the document. */
  label: string;
  picture: Picture;
  /** What is wrong with what was handed in. */
  problem?: string | undefined;
}

/** On a desk its button would lead to the album once more. */
const hasCamera = () => navigator.maxTouchPoints > 0;

/** One picture, from the camera or the album; the choice stays where something is there already. */
export function PictureField({ label, picture: { upload, pick, retry }, problem }: Props) {
  const { t } = useTranslation('verification');
  const { t: c } = useTranslation();
  const camera = useRef<HTMLInputElement>(null);
  const album = useRef<HTMLInputElement>(null);
  const wrong = upload.at === 'failed' ? upload.why : upload.at === 'unreadable' ? t('problem.unreadable') : problem;
  const choose = (source: HTMLInputElement | null) => {
    if (!source) return;
    // The same file may be chosen once more.
    source.value = '';
    source.click();
  };
  const input = {
    type: 'file',
    accept: 'image/*',
    hidden: true,
    onChange: ({ target }: { target: HTMLInputElement }) => {
      const [file] = target.files ?? [];
      if (file) pick(file);
    },
  } as const;

  return (
    <fieldset className={css.side}>
      <legend className={css.sideName}>{label}</legend>
      <div className={clsx(css.frame, wrong && css.wrongFrame)}>
        {'url' in upload ? (
          <img className={css.preview} src={upload.url} alt={t('picture.preview', { side: label })} />
        ) : (
          <ImageUp size={30} className={css.placeholder} aria-hidden="true" />
        )}
        {(upload.at === 'waiting' || upload.at === 'sending') && (
          <div className={css.sending}>
            <progress
              className={css.bar}
              max={100}
              value={upload.at === 'sending' ? upload.percent : 0}
              aria-label={label}
            />
            <span className="num">
              {upload.at === 'sending' ? t('picture.sending', { percent: upload.percent }) : t('picture.waiting')}
            </span>
          </div>
        )}
        {upload.at === 'done' && (
          <span className={css.done}>
            <CircleCheck size={15} aria-hidden="true" />
            {t('picture.done')}
          </span>
        )}
      </div>
      {wrong && (
        <p role="alert" className={css.problem}>
          {wrong}
        </p>
      )}
      <div className={css.sources}>
        {upload.at === 'failed' && (
          <Button tone="primary" icon={<RotateCw size={16} aria-hidden="true" />} onClick={retry}>
            {c('retry')}
          </Button>
        )}
        {hasCamera() && (
          <Button
            tone="secondary"
            icon={<Camera size={16} aria-hidden="true" />}
            aria-label={`${t('picture.take')}: ${label}`}
            onClick={() => choose(camera.current)}
          >
            {t('picture.take')}
          </Button>
        )}
        <Button
          tone="secondary"
          icon={<ImageUp size={16} aria-hidden="true" />}
          aria-label={`${t('picture.choose')}: ${label}`}
          onClick={() => choose(album.current)}
        >
          {t('picture.choose')}
        </Button>
      </div>
      <input {...input} ref={camera} capture="environment" aria-label={`${t('picture.take')}: ${label}`} />
      <input {...input} ref={album} aria-label={`${t('picture.choose')}: ${label}`} />
    </fieldset>
  );
}

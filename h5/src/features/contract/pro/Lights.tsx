import { useTranslation } from 'react-i18next';
import css from './Pro.module.css';

const ALL = [1, 2, 3, 4, 5] as const;

/** How early a position would be deleveraged: five lights come first. */
export function Lights({ lights }: { lights: number }) {
  const { t } = useTranslation('contract');
  if (lights === 0) return null;
  return (
    <span
      className={css.lights}
      role="img"
      aria-label={t('pro.lights', { lights })}
      title={t('pro.lights', { lights })}
    >
      <small aria-hidden="true">ADL</small>
      {ALL.map((light) => (
        <i key={light} data-on={light <= lights || undefined} data-high={lights > 3 || undefined} />
      ))}
    </span>
  );
}

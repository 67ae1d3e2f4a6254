import { ChevronRight } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { MenuIcon } from '@/components/market/MenuIcon';
import { Entry } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { useFeature } from '@/lib/api/config';
import css from './CopyPromo.module.css';

/** The way to the traders who may be copied, where the server has them. */
export function CopyPromo() {
  const { t } = useTranslation('home');
  if (!useFeature('follow')) return null;
  return (
    <Entry to={{ path: PATHS.followIndex }} className={css.promo}>
      <MenuIcon name="follow" />
      <span className={css.text}>
        <b>{t('copy.title')}</b>
        <span>{t('copy.note')}</span>
      </span>
      <ChevronRight size={18} aria-hidden="true" />
    </Entry>
  );
}

import { TriangleAlert } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Button } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { navigateTo } from '@/lib/navigation';
import type { Verification } from './api/state';
import css from './Verification.module.css';

/** What has to be bound before anything is handed in, with the way there. */
export function ContactsNotice({ data }: { data: Verification }) {
  const { t } = useTranslation('verification');
  return (
    <section className={css.notice}>
      <TriangleAlert size={18} aria-hidden="true" />
      <div>
        <h2>{t('contacts.title')}</h2>
        <p>{t('contacts.note')}</p>
        <div className={css.ways}>
          {!data.has_email && <Button onClick={() => navigateTo(PATHS.bindEmail)}>{t('contacts.email')}</Button>}
          {!data.has_phone && <Button onClick={() => navigateTo(PATHS.bindPhone)}>{t('contacts.phone')}</Button>}
        </div>
      </div>
    </section>
  );
}

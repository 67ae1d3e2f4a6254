import { useTranslation } from 'react-i18next';
import { Button } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { navigateTo } from '@/lib/navigation';
import css from './FuturesSummary.module.css';

/** Where the seconds account is used, and what became of it. */
export function SecondsSummary() {
  const { t } = useTranslation('fund');
  return (
    <section className={css.summary} aria-label={t('options.label')}>
      <p className={css.note}>{t('options.note')}</p>
      <div className={css.actions}>
        <Button tone="secondary" block onClick={() => navigateTo(PATHS.secondsOrder)}>
          {t('options.list')}
        </Button>
        <Button block onClick={() => navigateTo(PATHS.options)}>
          {t('options.trade')}
        </Button>
      </div>
    </section>
  );
}

/** One level of identity verification is handed in: who somebody is (`type=1`), or pictures of the document (`type=2`). */
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { Button, Empty, ErrorState, NavBar, SkeletonRows } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { back } from '@/lib/navigation';
import { toast } from '@/lib/toast';
import { useVerification, type Verification } from './api/state';
import { BasicForm } from './BasicForm';
import { ContactsNotice } from './ContactsNotice';
import { Handed, LevelBadge, LevelNote } from './LevelParts';
import { isReachable, type Level, levelOf, TYPES } from './levels';
import { PicturesForm } from './PicturesForm';
import css from './Verification.module.css';

export default function RealPage() {
  const { t } = useTranslation('verification');
  const [params] = useSearchParams();
  const level: Level = params.get('type') === String(TYPES.advanced) ? 'advanced' : 'basic';
  const { data, error, isPending, refetch } = useVerification();
  return (
    <>
      <NavBar title={t(`level.${level}`)} />
      {error && <ErrorState compact={data !== undefined} error={error} onRetry={() => void refetch()} />}
      {isPending && <SkeletonRows rows={4} icon={false} />}
      {data && <Step key={level} level={level} data={data} />}
    </>
  );
}

function Step({ level, data }: { level: Level; data: Verification }) {
  const { t } = useTranslation('verification');
  const { state } = levelOf(data, level);
  const overview = () => back(PATHS.realMark);
  const sent = () => {
    toast.success(t('form.sent'));
    overview();
  };

  if (state === 'review' || state === 'passed') {
    return (
      <div className={css.form}>
        <section className={css.card}>
          <header className={css.head}>
            <h2>{t(`level.${level}`)}</h2>
            <LevelBadge data={data} level={level} />
          </header>
          <LevelNote data={data} level={level} />
          {data.real_data && <Handed data={data.real_data} />}
        </section>
        <Button tone="secondary" block onClick={overview}>
          {t('overview')}
        </Button>
      </div>
    );
  }
  if (level === 'advanced' && levelOf(data, 'basic').state !== 'passed') {
    return <Empty title={t('basicFirst')} action={{ label: t('overview'), onClick: overview }} />;
  }
  if (!isReachable(data)) {
    return (
      <div className={css.form}>
        <ContactsNotice data={data} />
      </div>
    );
  }
  return (
    <>
      <div className={css.above}>
        <LevelNote data={data} level={level} />
      </div>
      {level === 'basic' ? <BasicForm onSent={sent} /> : <PicturesForm data={data.real_data} onSent={sent} />}
    </>
  );
}

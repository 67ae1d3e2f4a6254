/** Identity verification: its two levels, what each opens, how far each is. */
import { useQueryClient } from '@tanstack/react-query';
import { BadgeCheck, IdCard } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Button, ErrorState, NavBar, OfflineState, PullRefresh, Skeleton } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { loadUser } from '@/lib/api/user';
import { formatAmount } from '@/lib/format';
import { navigateTo } from '@/lib/navigation';
import { useOnline } from '@/lib/online';
import { useVerification, VERIFICATION, type Verification } from './api/state';
import { ContactsNotice } from './ContactsNotice';
import { Handed, LevelBadge, LevelNote } from './LevelParts';
import { isOpen, isReachable, LEVELS, type Level, levelOf, TYPES } from './levels';
import css from './Verification.module.css';

export default function RealMarkPage() {
  const { t } = useTranslation('verification');
  const client = useQueryClient();
  const { data, error, isPending, refetch } = useVerification();
  const refresh = () => Promise.all([client.invalidateQueries({ queryKey: VERIFICATION }), loadUser()]);
  return (
    <>
      <NavBar title={t('title')} />
      <PullRefresh onRefresh={refresh}>
        {error && <ErrorState compact={data !== undefined} error={error} onRetry={() => void refetch()} />}
        {isPending && <Coming />}
        {data && (
          <div className={css.page}>
            <p className={css.lead}>{t('lead')}</p>
            {!isReachable(data) && <ContactsNotice data={data} />}
            <div className={css.levels}>
              {LEVELS.map((level) => (
                <LevelCard key={level} level={level} data={data} />
              ))}
            </div>
          </div>
        )}
      </PullRefresh>
    </>
  );
}

const ICONS = { basic: IdCard, advanced: BadgeCheck } as const;

function LevelCard({ level, data }: { level: Level; data: Verification }) {
  const { t } = useTranslation('verification');
  const Icon = ICONS[level];
  const { state } = levelOf(data, level);
  const waits = state === 'none' || state === 'failed';
  const needsBasic = level === 'advanced' && levelOf(data, 'basic').state !== 'passed';
  return (
    <section className={css.card} aria-labelledby={`level-${level}`}>
      <header className={css.head}>
        <Icon size={22} aria-hidden="true" />
        <h2 id={`level-${level}`}>{t(`level.${level}`)}</h2>
        <LevelBadge data={data} level={level} />
      </header>
      <h3 className={css.heading}>{t('limits')}</h3>
      {data.limits.length === 0 ? (
        <p className={css.dim}>{t('noLimits')}</p>
      ) : (
        <dl className={css.facts}>
          {data.limits.map((limit) => (
            <div key={`${limit.network} ${limit.name}`}>
              <dt>{limit.network === limit.name ? limit.name : `${limit.name} · ${limit.network}`}</dt>
              <dd className="num">
                {formatAmount(limit[level])} {limit.name}
              </dd>
            </div>
          ))}
        </dl>
      )}
      {state === 'none' && <p className={css.dim}>{t(`needs.${level}`)}</p>}
      <LevelNote data={data} level={level} />
      {level === 'basic' && !waits && data.real_data && <Handed data={data.real_data} />}
      {waits && (
        <div className={css.go}>
          <Button
            block
            disabled={!isOpen(data, level)}
            onClick={() => navigateTo(PATHS.real, { type: TYPES[level] })}
            {...(needsBasic && { 'aria-describedby': 'basic-first' })}
          >
            {t(`${state === 'failed' ? 'again' : 'start'}.${level}`)}
          </Button>
          {needsBasic && (
            <p id="basic-first" className={css.hint}>
              {t('basicFirst')}
            </p>
          )}
        </div>
      )}
    </section>
  );
}

/** In the shape of the two cards. */
function Coming() {
  const { t } = useTranslation();
  const online = useOnline();
  if (!online) return <OfflineState />;
  return (
    <div role="status" aria-label={t('loading')} className={css.page}>
      <Skeleton width="70%" />
      <div className={css.levels}>
        {LEVELS.map((level) => (
          <Skeleton key={level} height={236} className={css.coming} />
        ))}
      </div>
    </div>
  );
}

import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { MenuIcon } from '@/components/market/MenuIcon';
import { Badge, CoinIcon, Empty, Entry, ErrorState, ListItem, Skeleton, Tabs, useDocumentTitle } from '@/components/ui';
import { PATHS, type Path } from '@/config/paths';
import { useFeature, useSiteConfig } from '@/lib/api/config';
import { formatAmount, formatPrice } from '@/lib/format';
import { useDuals, useLockConfigs, useProjects } from './api/offers';
import css from './FinancialPage.module.css';

/** Products without a section of their own. */
const MENU = [
  { key: 'follow', icon: 'follow', path: PATHS.followIndex },
  { key: 'nft', icon: 'nft', path: null },
  { key: 'guess', icon: 'guess', path: null },
  { key: 'loan', icon: 'buy_crypto', path: PATHS.borrowing },
] as const satisfies readonly { key: string; icon: string; path: Path | null }[];

export default function FinancialPage() {
  const { t } = useTranslation('financial');
  useDocumentTitle(t('title'));
  return (
    <>
      <header className={css.hero}>
        <h1 className={css.title}>{t('title')}</h1>
        <p className={css.claim}>{t('claim')}</p>
      </header>
      <div className={css.sections}>
        <LockSection />
        <ProjectSection />
        <DualSection />
      </div>
      <ul className={css.menu} aria-label={t('products')}>
        {MENU.map(({ key, icon, path }) => (
          <li key={key}>
            <Entry to={path ? { path } : null} className={css.entry}>
              <MenuIcon name={icon} />
              {t(`menu.${key}`)}
            </Entry>
          </li>
        ))}
      </ul>
      <p className={css.risk}>{t('risk')}</p>
    </>
  );
}

interface SectionProps<T> {
  title: string;
  note: string;
  on: boolean;
  query: UseQueryResult<T[]>;
  children(row: T): ReactNode;
  head?: ReactNode;
}

/** A product that is off says so; one that is on shows what it offers. */
function Section<T>({ title, note, on, query, children, head }: SectionProps<T>) {
  const { t } = useTranslation();
  const known = useSiteConfig() !== undefined;
  return (
    <section className={css.section}>
      <div className={css.heading}>
        <h2>{title}</h2>
        {known && !on && <Badge>{t('soon')}</Badge>}
      </div>
      <p className={css.note}>{note}</p>
      {on && head}
      {on && query.error && <ErrorState compact error={query.error} onRetry={() => void query.refetch()} />}
      {on && query.isPending && <Skeleton height={56} />}
      {on && query.data && (query.data.length > 0 ? <ul>{query.data.map(children)}</ul> : <Empty />)}
    </section>
  );
}

function LockSection() {
  const { t } = useTranslation('financial');
  const on = useFeature('lock_mining');
  const query = useLockConfigs(on);
  return (
    <Section title={t('menu.lock')} note={t('note.lock')} on={on} query={query}>
      {(row) => (
        <ListItem
          key={row.id}
          icon={<CoinIcon name={row.currency_name} logo={row.currency_logo} size={24} />}
          title={t('lockTerm', { coin: row.currency_name, days: row.day })}
          note={t('lockMin', { amount: formatAmount(row.save_min) })}
          value={`${formatAmount(row.interest_min)}–${formatAmount(row.interest_max)}%`}
          to={{ path: PATHS.lockBuy, query: { id: row.id } }}
        />
      )}
    </Section>
  );
}

function ProjectSection() {
  const { t } = useTranslation('financial');
  const on = useFeature('ieo');
  const query = useProjects(on);
  return (
    <Section title={t('menu.ieo')} note={t('note.ieo')} on={on} query={query}>
      {(row) => (
        <ListItem
          key={row.id}
          icon={<CoinIcon name={row.currency_name} logo={row.logo} size={24} />}
          title={row.title}
          note={t(`phase.${row.time_status}`)}
          value={t('remaining', { percent: formatAmount(row.percentage) })}
          to={{ path: PATHS.ieoSubscribe, query: { project_id: row.id } }}
        />
      )}
    </Section>
  );
}

const DUAL_COINS = [
  { value: '1', label: 'BTC' },
  { value: '2', label: 'ETH' },
] as const;

function DualSection() {
  const { t } = useTranslation('financial');
  const on = useFeature('dual');
  const [coin, setCoin] = useState<'1' | '2'>('1');
  const query = useDuals(Number(coin), on);
  return (
    <Section
      title={t('menu.invest')}
      note={t('note.invest')}
      on={on}
      query={query}
      head={<Tabs look="segment" label={t('menu.invest')} items={DUAL_COINS} value={coin} onChange={setCoin} />}
    >
      {(row) => (
        <ListItem
          key={row.id}
          icon={<CoinIcon name={row.currency_name} size={24} />}
          title={row.name}
          note={t('dualTerms', { price: formatPrice(row.exercise_price, 2), days: row.holding_days })}
          value={t('apr', { rate: formatAmount(row.rate) })}
          to={{ path: PATHS.investPurchase, query: { id: row.id } }}
        />
      )}
    </Section>
  );
}

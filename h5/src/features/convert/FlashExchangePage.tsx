/** Flash exchange (docs/rules/convert.md): one coin becomes another at a quote; small balances; what was exchanged. */
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { NavBar, SkeletonRows, Tabs } from '@/components/ui';
import { ExchangeTab } from './ExchangeTab';
import css from './FlashExchangePage.module.css';

const TABS = ['exchange', 'dust', 'records'] as const;
type Tab = (typeof TABS)[number];

const DustTab = lazy(() => import('./DustTab'));
const RecordsTab = lazy(() => import('./RecordsTab'));

export default function FlashExchangePage() {
  const { t } = useTranslation('convert');
  const { t: c } = useTranslation();
  const [params] = useSearchParams();
  const [tab, setTab] = useState<Tab>(() => TABS.find((name) => name === params.get('tab')) ?? 'exchange');
  return (
    <>
      <NavBar title={c('tradeMenu.flash')} />
      <Tabs
        label={t('tabs.label')}
        controls="flash"
        className={css.tabs}
        items={TABS.map((value) => ({ value, label: t(`tabs.${value}`) }))}
        value={tab}
        onChange={setTab}
      />
      <div id="flash" role="tabpanel" aria-label={t(`tabs.${tab}`)}>
        <Suspense fallback={<SkeletonRows />}>
          {tab === 'exchange' && <ExchangeTab initial={Object.fromEntries(params)} />}
          {tab === 'dust' && <DustTab />}
          {tab === 'records' && <RecordsTab />}
        </Suspense>
      </div>
    </>
  );
}

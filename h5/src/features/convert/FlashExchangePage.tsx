/** Flash exchange (docs/rules/convert.md): one coin becomes another at a quote; small balances; what was exchanged. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { NavBar, Tabs } from '@/components/ui';
import { DustTab } from './DustTab';
import { type Arithmetic, ExchangeTab } from './ExchangeTab';
import css from './FlashExchangePage.module.css';
import { RecordsTab } from './RecordsTab';

const TABS = ['exchange', 'dust', 'records'] as const;
type Tab = (typeof TABS)[number];

/** Beside the balances, not after them. What fails is thrown when the form is shown, not before. */
function loadArithmetic(): Promise<Arithmetic> {
  const loading = import('./amounts');
  loading.catch(() => undefined);
  return loading;
}

export default function FlashExchangePage() {
  const { t } = useTranslation('convert');
  const { t: c } = useTranslation();
  const [params] = useSearchParams();
  const [tab, setTab] = useState<Tab>(() => TABS.find((name) => name === params.get('tab')) ?? 'exchange');
  const [arithmetic] = useState(loadArithmetic);
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
        {tab === 'exchange' && <ExchangeTab initial={Object.fromEntries(params)} arithmetic={arithmetic} />}
        {tab === 'dust' && <DustTab />}
        {tab === 'records' && <RecordsTab />}
      </div>
    </>
  );
}

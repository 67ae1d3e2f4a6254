import { Braces, ChartCandlestick, KeyRound, Radio } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Copied, List, ListItem, NavBar } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { navigateTo } from '@/lib/navigation';
import css from './ApiDocsPage.module.css';
import { addressesOf, samplesFor } from './samples';

const show = (path: string) => window.open(path, '_blank', 'noopener');

/** How programs connect: addresses, descriptions for machines, and an example for each of the usual clients. */
export default function ApiDocsPage() {
  const { t } = useTranslation('setting');
  const { origin } = window.location;
  const { http, socket } = addressesOf(origin);
  const { named, websocket } = samplesFor(origin);
  return (
    <>
      <NavBar title={t('apiDocs.title')} />
      <p className={css.lead}>{t('apiDocs.lead')}</p>
      <section className={css.group}>
        <h2 className={css.heading}>{t('apiDocs.addresses')}</h2>
        <div className={css.card}>
          <Copied label="REST" text={`${http}/api/v3`} />
          <Copied label="WebSocket" text={`${socket}/ws`} />
        </div>
      </section>
      <List title={t('apiDocs.documents')}>
        <ListItem
          icon={<KeyRound size={19} />}
          title={t('apiKeys.title')}
          note={t('apiDocs.keys')}
          onClick={() => navigateTo(PATHS.apiKeys)}
        />
        <ListItem
          icon={<Braces size={19} />}
          title={t('apiDocs.calls')}
          note="/openapi.json"
          onClick={() => show('/openapi.json')}
        />
        <ListItem
          icon={<Radio size={19} />}
          title={t('apiDocs.streams')}
          note="/asyncapi.json"
          onClick={() => show('/asyncapi.json')}
        />
        <ListItem
          icon={<ChartCandlestick size={19} />}
          title={t('apiDocs.charts')}
          note="/udf"
          onClick={() => show('/udf/config')}
        />
      </List>
      <section className={css.group}>
        <h2 className={css.heading}>{t('apiDocs.examples')}</h2>
        {named.map(([name, text]) => (
          <Copied key={name} look="block" label={name} text={text} />
        ))}
        <Copied look="block" label={t('apiDocs.socket')} text={websocket} />
      </section>
    </>
  );
}

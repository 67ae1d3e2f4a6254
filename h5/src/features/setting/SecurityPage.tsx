import {
  Bot,
  KeyRound,
  Mail,
  MapPinned,
  MonitorSmartphone,
  ShieldCheck,
  Smartphone,
  WalletMinimal,
} from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Badge, List, ListItem, NavBar } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { useSafeState } from '@/lib/api/safe';
import { useSession } from '@/lib/session';
import css from './SecurityPage.module.css';

export default function SecurityPage() {
  const { t } = useTranslation('setting');
  const { t: w } = useTranslation('withdraw');
  const { user } = useSession();
  const { data: safe } = useSafeState();
  const hasFactor = safe && safe.factors.length > 0;
  const done = [user?.email, user?.phone, user?.has_pay_password, hasFactor].filter(Boolean).length;
  const missing = <Badge tone="warn">{t('security.missing')}</Badge>;
  return (
    <>
      <NavBar title={t('item.security')} />
      <section className={css.level}>
        <p className={css.name}>{t('security.level', { done, count: 4 })}</p>
        <div className={css.meter} role="img" aria-label={t('security.level', { done, count: 4 })}>
          {[1, 2, 3, 4].map((step) => (
            <i key={step} data-on={step <= done || undefined} />
          ))}
        </div>
        <p className={css.note}>{t('security.note')}</p>
      </section>
      <List title={t('security.passwords')}>
        <ListItem
          icon={<KeyRound size={19} />}
          title={t('security.login')}
          value={t('security.change')}
          to={{ path: PATHS.forget }}
        />
        <ListItem
          icon={<WalletMinimal size={19} />}
          title={t('security.pay')}
          value={user?.has_pay_password ? undefined : missing}
          to={{ path: PATHS.payPassword }}
        />
      </List>
      <List title={t('security.secondStep')}>
        <ListItem
          icon={<ShieldCheck size={19} />}
          title={t('authenticator.title')}
          value={safe && (hasFactor ? t('security.on') : missing)}
          to={{ path: PATHS.authenticator }}
        />
      </List>
      <List title={w('list.title')}>
        <ListItem icon={<MapPinned size={19} />} title={t('item.wallets')} to={{ path: PATHS.wallet }} />
      </List>
      <List title={t('security.contacts')}>
        <ListItem
          icon={<Mail size={19} />}
          title={t('profile.email')}
          value={user?.email ?? missing}
          to={{ path: PATHS.bindEmail }}
        />
        <ListItem
          icon={<Smartphone size={19} />}
          title={t('profile.phone')}
          value={user?.phone ?? missing}
          to={{ path: PATHS.bindPhone }}
        />
      </List>
      <List title={t('security.programs')}>
        <ListItem icon={<Bot size={19} />} title={t('apiKeys.title')} to={{ path: PATHS.apiKeys }} />
      </List>
      <List title={t('security.devices')}>
        <ListItem icon={<MonitorSmartphone size={19} />} title={t('security.sessions')} to={null} />
      </List>
    </>
  );
}

import {
  Bot,
  Fingerprint,
  KeyRound,
  Lock,
  Mail,
  MailCheck,
  MapPinned,
  MonitorSmartphone,
  ShieldCheck,
  Smartphone,
  WalletMinimal,
} from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Badge, ConfirmDialog, List, ListItem, NavBar } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { useSafeState } from '@/lib/api/safe';
import { relaunch } from '@/lib/navigation';
import { dispatchSession, useSession } from '@/lib/session';
import { toast } from '@/lib/toast';
import { lockAccount } from './api/protection';
import css from './SecurityPage.module.css';

export default function SecurityPage() {
  const { t } = useTranslation('setting');
  const { t: w } = useTranslation('withdraw');
  const { t: p } = useTranslation('protection');
  const { user } = useSession();
  const { data: safe } = useSafeState();
  const hasFactor = safe && safe.factors.length > 0;
  const count = (kind: 'totp' | 'passkey') => safe?.factors.filter((factor) => factor.kind === kind).length ?? 0;
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
          to={{ path: PATHS.password }}
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
          value={safe && (count('totp') > 0 ? t('security.on') : hasFactor ? undefined : missing)}
          to={{ path: PATHS.authenticator }}
        />
        {safe && (safe.passkeys || count('passkey') > 0) && (
          <ListItem
            icon={<Fingerprint size={19} />}
            title={t('passkeys.title')}
            value={count('passkey') || undefined}
            to={{ path: PATHS.passkeys }}
          />
        )}
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
        <ListItem
          icon={<MailCheck size={19} />}
          title={p('phrase.title')}
          value={safe?.mail_phrase ?? undefined}
          to={{ path: PATHS.mailPhrase }}
        />
      </List>
      <List title={t('security.programs')}>
        <ListItem icon={<Bot size={19} />} title={t('apiKeys.title')} to={{ path: PATHS.apiKeys }} />
      </List>
      <List title={t('security.devices')}>
        <ListItem icon={<MonitorSmartphone size={19} />} title={p('sessions.title')} to={{ path: PATHS.sessions }} />
        <LockItem />
      </List>
    </>
  );
}

/** Locks the account after a question, for whoever fears that somebody else came in. */
function LockItem() {
  const { t } = useTranslation('protection');
  const [asks, setAsks] = useState(false);
  const [busy, setBusy] = useState(false);

  async function lock() {
    setBusy(true);
    const locked = await lockAccount();
    setBusy(false);
    setAsks(false);
    if (!locked) return;
    relaunch(PATHS.home);
    dispatchSession({ type: 'logout' });
    toast(t('lock.locked'));
  }

  return (
    <>
      <ListItem icon={<Lock size={19} />} title={t('lock.title')} note={t('lock.note')} onClick={() => setAsks(true)} />
      <ConfirmDialog
        open={asks}
        title={t('lock.ask')}
        tone="danger"
        confirmText={t('lock.confirm')}
        loading={busy}
        onClose={() => setAsks(false)}
        onConfirm={() => void lock()}
      >
        <p>{t('lock.what')}</p>
        <p>{t('lock.back')}</p>
      </ConfirmDialog>
    </>
  );
}

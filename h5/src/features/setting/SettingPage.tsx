import { useQuery } from '@tanstack/react-query';
import {
  BadgeCheck,
  Coins,
  Copy,
  CreditCard,
  FileText,
  Globe,
  Headset,
  Info,
  Mail,
  MapPinned,
  MessageCircleQuestion,
  Share2,
  ShieldCheck,
  TicketPercent,
} from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FiatSheet, LanguageSheet } from '@/components/preferences';
import { Avatar, Badge, Button, ConfirmDialog, IconButton, List, ListItem, NavBar, Skeleton } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { fetchMessage } from '@/lib/api/client';
import type { Dec } from '@/lib/api/types';
import { logOut } from '@/lib/api/user';
import { copyText } from '@/lib/clipboard';
import { useFiat } from '@/lib/fiat';
import { formatAmount } from '@/lib/format';
import { i18next, LANGUAGE_NAMES, useLanguage } from '@/lib/i18n';
import { navigateTo, relaunch } from '@/lib/navigation';
import { useSession } from '@/lib/session';
import { toast } from '@/lib/toast';
import css from './SettingPage.module.css';
import { verificationState } from './verification';

interface Invite {
  invite_num: number;
  trans_num: number;
  invite_return_total: Dec;
}

const planned = () => toast(i18next.t('common:underDevelopment'));

export default function SettingPage() {
  const { t } = useTranslation('setting');
  const { t: c } = useTranslation();
  const fiat = useFiat();
  const language = useLanguage();
  const [sheet, setSheet] = useState<'language' | 'fiat' | 'logout' | null>(null);
  const state = verificationState(useSession().user);
  const close = () => setSheet(null);

  return (
    <>
      <NavBar title={t('title')} />
      <Profile />
      <InviteCard />
      <List title={t('group.services')}>
        <ListItem
          icon={<BadgeCheck size={19} />}
          title={t('item.verification')}
          value={<Badge tone={state.tone}>{t(`verification.${state.key}`)}</Badge>}
          onClick={() => navigateTo(PATHS.realMark)}
        />
        <ListItem
          icon={<ShieldCheck size={19} />}
          title={t('item.security')}
          onClick={() => navigateTo(PATHS.security)}
        />
        <ListItem icon={<TicketPercent size={19} />} title={t('item.coupons')} onClick={planned} />
        <ListItem icon={<CreditCard size={19} />} title={t('item.banks')} onClick={() => navigateTo(PATHS.bank)} />
        <ListItem icon={<MapPinned size={19} />} title={t('item.wallets')} onClick={() => navigateTo(PATHS.wallet)} />
        <ListItem icon={<Share2 size={19} />} title={t('item.share')} onClick={() => navigateTo(PATHS.share)} />
        <ListItem icon={<Mail size={19} />} title={t('item.messages')} onClick={() => navigateTo(PATHS.mail)} />
      </List>
      <List title={t('group.general')}>
        <ListItem icon={<Coins size={19} />} title={c('fiat')} value={fiat.code} onClick={() => setSheet('fiat')} />
        <ListItem
          icon={<Globe size={19} />}
          title={c('language')}
          value={LANGUAGE_NAMES[language]}
          onClick={() => setSheet('language')}
        />
        <ListItem
          icon={<MessageCircleQuestion size={19} />}
          title={t('article.faq')}
          onClick={() => navigateTo(PATHS.article, { type: 'faq' })}
        />
        <ListItem
          icon={<Headset size={19} />}
          title={t('article.contactus')}
          onClick={() => navigateTo(PATHS.article, { type: 'contactus' })}
        />
        <ListItem
          icon={<FileText size={19} />}
          title={t('article.compliance')}
          onClick={() => navigateTo(PATHS.compliance)}
        />
        <ListItem icon={<Info size={19} />} title={t('about.title')} onClick={() => navigateTo(PATHS.about)} />
      </List>
      <div className={css.logout}>
        <Button tone="danger" size="l" block onClick={() => setSheet('logout')}>
          {t('logOut')}
        </Button>
      </div>
      <LanguageSheet open={sheet === 'language'} onClose={close} />
      <FiatSheet open={sheet === 'fiat'} onClose={close} />
      <ConfirmDialog
        open={sheet === 'logout'}
        title={t('logOutTitle')}
        tone="danger"
        confirmText={t('logOut')}
        onClose={close}
        onConfirm={() => {
          relaunch(PATHS.home);
          logOut();
        }}
      >
        <p>{t('logOutNote')}</p>
      </ConfirmDialog>
    </>
  );
}

function Profile() {
  const { t } = useTranslation('setting');
  const { user } = useSession();
  if (!user) {
    return (
      <div className={css.profile}>
        <Skeleton width={60} height={60} round />
        <div className={css.waiting}>
          <Skeleton width={130} height={18} />
          <Skeleton width={90} height={12} />
        </div>
      </div>
    );
  }
  return (
    <div className={css.profile}>
      <Avatar src={user.head_portrait} name={user.nickname || user.account_number} size={60} />
      <div className={css.who}>
        <button type="button" className={css.name} onClick={() => navigateTo(PATHS.userInfo)}>
          {user.nickname || user.account_number}
        </button>
        <p className={`num ${css.uid}`}>
          UID {user.uid}
          <IconButton label={t('copyUid')} className={css.copy} onClick={() => void copyText(user.uid)}>
            <Copy size={14} />
          </IconButton>
        </p>
        <p className={css.badges}>
          <Badge tone="base">{user.level_name || `VIP ${user.level}`}</Badge>
          <Badge>{t('credit', { score: user.score })}</Badge>
        </p>
      </div>
    </div>
  );
}

function InviteCard() {
  const { t } = useTranslation('setting');
  const { data } = useQuery({
    queryKey: ['invite'],
    queryFn: ({ signal }) => fetchMessage<Invite>('GET', '/user/invite', {}, signal),
    meta: { private: true },
  });
  // The account's own summary stands in until, or unless, the invitation programme answers.
  const known = useSession().user?.invite;
  const rebate = data?.invite_return_total ?? known?.rebate_total;
  const figures = [
    ['invited', data?.invite_num ?? known?.number],
    ['traded', data?.trans_num ?? known?.trans_number],
    ['rebate', rebate && formatAmount(rebate, 4)],
  ] as const;
  return (
    <dl className={css.invite}>
      {figures.map(([key, value]) => (
        <div key={key}>
          <dt>{t(`invite.${key}`)}</dt>
          <dd className="num">{value ?? '--'}</dd>
        </div>
      ))}
    </dl>
  );
}

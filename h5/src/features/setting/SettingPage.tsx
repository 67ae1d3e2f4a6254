import {
  BadgeCheck,
  Coins,
  Copy,
  CreditCard,
  Download,
  FileText,
  Globe,
  Headset,
  Info,
  type LucideIcon,
  Mail,
  MessageCircleQuestion,
  ReceiptText,
  Share2,
  ShieldCheck,
  TicketPercent,
  WalletMinimal,
} from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FiatSheet, LanguageSheet } from '@/components/preferences';
import {
  Avatar,
  Badge,
  Button,
  ConfirmDialog,
  IconButton,
  List,
  ListItem,
  NavBar,
  OfflineState,
  Skeleton,
} from '@/components/ui';
import { PATHS, type Path } from '@/config/paths';
import { unreadIn, useUnread } from '@/lib/api/mail';
import { logOut } from '@/lib/api/user';
import { copyText } from '@/lib/clipboard';
import { useFiat } from '@/lib/fiat';
import { countText, formatAmount } from '@/lib/format';
import { LANGUAGE_NAMES, useLanguage } from '@/lib/i18n';
import { navigateTo, relaunch } from '@/lib/navigation';
import { useOnline } from '@/lib/online';
import { useSession } from '@/lib/session';
import css from './SettingPage.module.css';
import { VerificationBadge } from './VerificationBadge';

/** What is there stands before what comes later. */
const SERVICES = [
  { key: 'verification', icon: BadgeCheck, path: PATHS.realMark },
  { key: 'security', icon: ShieldCheck, path: PATHS.security },
  { key: 'orders', icon: ReceiptText, path: PATHS.currencyOrder },
  { key: 'wallets', icon: WalletMinimal, path: PATHS.wallet },
  { key: 'messages', icon: Mail, path: PATHS.mail },
  { key: 'coupons', icon: TicketPercent, path: PATHS.coupon },
  { key: 'banks', icon: CreditCard, path: PATHS.bank },
  { key: 'share', icon: Share2, path: PATHS.share },
] as const satisfies readonly { key: string; icon: LucideIcon; path: Path | null }[];

type Service = (typeof SERVICES)[number]['key'];

export default function SettingPage() {
  const { t } = useTranslation('setting');
  const { t: c } = useTranslation();
  const { t: d } = useTranslation('download');
  const fiat = useFiat();
  const language = useLanguage();
  const { user } = useSession();
  const [sheet, setSheet] = useState<'language' | 'fiat' | 'logout' | null>(null);
  const close = () => setSheet(null);
  const unread = unreadIn(useUnread());
  const values: Partial<Record<Service, ReactNode>> = {
    ...(user && { verification: <VerificationBadge user={user} /> }),
    ...(unread > 0 && { messages: <Badge tone="down">{countText(unread)}</Badge> }),
  };

  return (
    <>
      <NavBar title={t('title')} />
      <Profile />
      <InviteCard />
      <List title={t('group.services')}>
        {SERVICES.map(({ key, path, icon: Icon }) => (
          <ListItem
            key={key}
            icon={<Icon size={19} />}
            title={t(`item.${key}`)}
            value={values[key]}
            to={path ? { path } : null}
          />
        ))}
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
          onClick={() => navigateTo(PATHS.contactus)}
        />
        <ListItem
          icon={<FileText size={19} />}
          title={t('article.compliance')}
          onClick={() => navigateTo(PATHS.compliance)}
        />
        <ListItem icon={<Download size={19} />} title={d('title')} onClick={() => navigateTo(PATHS.download)} />
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
  const online = useOnline();
  if (!user && !online) return <OfflineState />;
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
  const invite = useSession().user?.invite;
  const figures = [
    ['invited', invite?.number],
    ['traded', invite?.trans_number],
    ['rebate', invite && formatAmount(invite.rebate_total, 4)],
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

import { useTranslation } from 'react-i18next';
import { Avatar, Badge, Empty, List, ListItem, NavBar, PullRefresh, SkeletonRows } from '@/components/ui';
import { loadUser } from '@/lib/api/user';
import { useSession } from '@/lib/session';
import css from './UserInfoPage.module.css';
import { verificationState } from './verification';

/** What the exchange knows about the account. */
export default function UserInfoPage() {
  const { t } = useTranslation('setting');
  const { t: c } = useTranslation();
  const { token, user } = useSession();
  const state = verificationState(user);
  return (
    <>
      <NavBar title={t('profile.title')} />
      <PullRefresh onRefresh={loadUser}>
        {!user && token && <SkeletonRows rows={6} icon={false} />}
        {!user && !token && <Empty title={c('loginFirst')} />}
        {user && (
          <>
            <div className={css.head}>
              <Avatar src={user.head_portrait} name={user.nickname || user.account_number} size={84} />
            </div>
            <List>
              <ListItem title={t('profile.nickname')} value={user.nickname || '--'} />
              <ListItem title={t('profile.signature')} value={user.signature || '--'} />
              <ListItem title="UID" value={<span className="num">{user.uid}</span>} />
            </List>
            <List>
              <ListItem title={t('profile.email')} value={user.email ?? t('profile.unbound')} />
              <ListItem title={t('profile.phone')} value={user.phone ?? t('profile.unbound')} />
              <ListItem
                title={t('item.verification')}
                value={<Badge tone={state.tone}>{t(`verification.${state.key}`)}</Badge>}
              />
              <ListItem title={t('profile.level')} value={user.level_name || `VIP ${user.level}`} />
              <ListItem title={t('profile.credit')} value={<span className="num">{user.score}</span>} />
            </List>
          </>
        )}
      </PullRefresh>
    </>
  );
}

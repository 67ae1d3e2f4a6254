import { useTranslation } from 'react-i18next';
import { Avatar, Empty, List, ListItem, NavBar, PullRefresh, SkeletonRows } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { loadUser } from '@/lib/api/user';
import { useSession } from '@/lib/session';
import css from './UserInfoPage.module.css';
import { VerificationBadge } from './VerificationBadge';

/** What the exchange knows about the account. */
export default function UserInfoPage() {
  const { t } = useTranslation('setting');
  const { t: c } = useTranslation();
  const { token, user } = useSession();
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
              <ListItem
                title={t('profile.email')}
                value={user.email ?? t('profile.unbound')}
                to={{ path: PATHS.bindEmail }}
              />
              <ListItem
                title={t('profile.phone')}
                value={user.phone ?? t('profile.unbound')}
                to={{ path: PATHS.bindPhone }}
              />
              <ListItem
                title={t('item.verification')}
                to={{ path: PATHS.realMark }}
                value={<VerificationBadge user={user} />}
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

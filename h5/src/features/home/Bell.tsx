import { Bell as BellIcon } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Count, IconButton } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { unreadIn, useUnread } from '@/lib/api/mail';
import { countText } from '@/lib/format';
import { navigateTo } from '@/lib/navigation';
import css from './Bell.module.css';

/** To the messages, with how many of them are unread. A guest has none, and reads the announcements. */
export function Bell({ member }: { member: boolean }) {
  const { t } = useTranslation('mail');
  const unread = unreadIn(useUnread());
  const label = unread > 0 ? t('titleUnread', { n: countText(unread) }) : t('title');
  return (
    <IconButton
      label={member ? label : t('kind.notice')}
      className={css.bell}
      onClick={() => navigateTo(member ? PATHS.mail : PATHS.mailNotices)}
    >
      <BellIcon size={21} strokeWidth={1.8} />
      <Count value={unread} className={css.count} />
    </IconButton>
  );
}

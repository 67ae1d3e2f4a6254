import { useTranslation } from 'react-i18next';
import { NavBar } from '@/components/ui';
import { useUnread } from '@/lib/api/mail';
import { Mails } from './Mails';
import { ReadAll } from './ReadAll';

/** What happened to the account's orders, funds and security. */
export default function MailListPage() {
  const { t } = useTranslation('mail');
  return (
    <>
      <NavBar title={t('kind.system')} right={<ReadAll kind="system" unread={useUnread()?.system ?? 0} />} />
      <Mails kind="system" />
    </>
  );
}

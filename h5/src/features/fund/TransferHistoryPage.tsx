import { useTranslation } from 'react-i18next';
import { NavBar, PullRefresh } from '@/components/ui';
import { useTransferHistory } from './api/log';
import { LogList } from './LogList';

export default function TransferHistoryPage() {
  const { t } = useTranslation('fund');
  const log = useTransferHistory();
  return (
    <>
      <NavBar title={t('transferHistory')} />
      <PullRefresh onRefresh={log.refetch}>
        <LogList log={log} label={t('transferHistory')} withAccount />
      </PullRefresh>
    </>
  );
}

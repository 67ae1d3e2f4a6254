/** Where the account is logged in; each session but this one can be ended, or all of them at once. */
import { useQueryClient } from '@tanstack/react-query';
import { MonitorSmartphone } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Badge, Button, ConfirmDialog, ErrorState, List, ListItem, NavBar, SkeletonRows } from '@/components/ui';
import { formatMoment } from '@/lib/format';
import { toast } from '@/lib/toast';
import css from './AuthenticatorPage.module.css';
import { endSessions, SESSIONS, type UserSession, useSessions } from './api/sessions';
import { deviceOf } from './device';

function Row({ row, onEnd }: { row: UserSession; onEnd(): void }) {
  const { t } = useTranslation('protection');
  const since = t('sessions.since', { date: formatMoment(row.created_at_ms) });
  const seen = t('sessions.seen', { date: formatMoment(row.last_seen_ms) });
  return (
    <ListItem
      icon={<MonitorSmartphone size={19} />}
      title={deviceOf(row.agent) || row.ip}
      note={
        <>
          <span className="num">{row.ip}</span>
          <br />
          {row.current ? since : seen}
        </>
      }
      value={
        row.current ? (
          <Badge tone="up">{t('sessions.current')}</Badge>
        ) : (
          <Button tone="secondary" aria-label={t('sessions.endOne', { ip: row.ip })} onClick={onEnd}>
            {t('sessions.end')}
          </Button>
        )
      }
    />
  );
}

export default function SessionsPage() {
  const { t } = useTranslation('protection');
  const client = useQueryClient();
  const { data, error, isPending, refetch } = useSessions();
  /** Sessions that are about to be ended. */
  const [ending, setEnding] = useState<readonly number[]>([]);
  const [busy, setBusy] = useState(false);
  const rows = [...(data ?? [])].sort(
    (a, b) => Number(b.current) - Number(a.current) || b.last_seen_ms - a.last_seen_ms,
  );
  const others = rows.filter(({ current }) => !current).map(({ id }) => id);
  const isAll = ending.length > 1;

  async function end() {
    setBusy(true);
    const ended = await endSessions(ending);
    await client.invalidateQueries({ queryKey: SESSIONS });
    setBusy(false);
    setEnding([]);
    if (ended) toast.success(t(isAll ? 'sessions.endedOthers' : 'sessions.ended'));
  }

  return (
    <>
      <NavBar title={t('sessions.title')} />
      <div className={css.body}>
        <p className={css.note}>{t('sessions.note')}</p>
      </div>
      {error && <ErrorState compact={data !== undefined} error={error} onRetry={() => void refetch()} />}
      {isPending && <SkeletonRows rows={3} />}
      {rows.length > 0 && (
        <List>
          {rows.map((row) => (
            <Row key={row.id} row={row} onEnd={() => setEnding([row.id])} />
          ))}
        </List>
      )}
      {others.length > 1 && (
        <div className={css.body}>
          <Button tone="danger" size="l" block onClick={() => setEnding(others)}>
            {t('sessions.endOthers')}
          </Button>
        </div>
      )}
      <ConfirmDialog
        open={ending.length > 0}
        title={t(isAll ? 'sessions.endOthersTitle' : 'sessions.endTitle')}
        tone="danger"
        confirmText={t('sessions.end')}
        loading={busy}
        onClose={() => setEnding([])}
        onConfirm={() => void end()}
      >
        <p className={css.note}>{t('sessions.endNote')}</p>
      </ConfirmDialog>
    </>
  );
}

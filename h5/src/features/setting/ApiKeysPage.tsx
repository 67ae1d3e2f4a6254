import { useQueryClient } from '@tanstack/react-query';
import { CircleHelp, Plus } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { SuretyField } from '@/components/safe';
import {
  Badge,
  Button,
  ConfirmDialog,
  Copied,
  Empty,
  ErrorState,
  IconButton,
  NavBar,
  PullRefresh,
  SkeletonRows,
} from '@/components/ui';
import { PATHS } from '@/config/paths';
import { isComplete, useHasFactor } from '@/lib/api/safe';
import { formatMoment, parseServerTime } from '@/lib/format';
import { navigateTo } from '@/lib/navigation';
import { toast } from '@/lib/toast';
import { ApiKeyForm } from './ApiKeyForm';
import css from './ApiKeysPage.module.css';
import { API_KEYS, type ApiKey, confirmKey, deleteKey, type NewApiKey, useApiKeys } from './api/apiKeys';
import { addressText, KIND_NAMES } from './keyForm';

/** A key that was just made: not in a dialog, which a stray tap would close for ever. */
function Made({ made, onStored }: { made: NewApiKey; onStored(): void }) {
  const { t } = useTranslation('setting');
  return (
    <section className={css.made} aria-label={made.label}>
      <h2 className={css.title}>{made.label}</h2>
      <p className={made.secret ? css.warn : css.hint}>{t(made.secret ? 'apiKeys.once' : 'apiKeys.publicOnce')}</p>
      <Copied look="whole" label={t('apiKeys.key')} text={made.api_key} />
      {made.secret && <Copied look="whole" label={t('apiKeys.secret')} text={made.secret} />}
      <Button block onClick={onStored}>
        {t('apiKeys.stored')}
      </Button>
    </section>
  );
}

interface RowProps {
  row: ApiKey;
  onEdit(): void;
  onDelete(): void;
  onConfirm(): void;
}

function Row({ row, onEdit, onDelete, onConfirm }: RowProps) {
  const { t } = useTranslation('setting');
  const moment = (text: string) => formatMoment(parseServerTime(text));
  const created = moment(row.created_at);
  return (
    <li className={css.card}>
      <div className={css.head}>
        <h2 className={css.title}>{row.label}</h2>
        <span className={css.badges}>
          <Badge>{KIND_NAMES[row.kind]}</Badge>
          {row.scopes.map((scope) => (
            <Badge key={scope} tone={scope === 'trade' ? 'warn' : 'up'}>
              {t(`apiKeys.scope.${scope}`)}
            </Badge>
          ))}
        </span>
      </div>
      <Copied hideLabel label={t('apiKeys.key')} text={row.api_key} />
      <p className={css.hint}>{row.ips.length > 0 ? row.ips.map(addressText).join(', ') : t('apiKeys.anyIp')}</p>
      <p className={css.hint}>
        {row.last_used_at
          ? t('apiKeys.used', { created, used: moment(row.last_used_at) })
          : t('apiKeys.unused', { created })}
      </p>
      {row.suspended && (
        <>
          <p className={css.warn}>{t('apiKeys.suspended')}</p>
          <Button block aria-label={t('apiKeys.confirmKey', { label: row.label })} onClick={onConfirm}>
            {t('apiKeys.confirm')}
          </Button>
        </>
      )}
      <div className={css.actions}>
        <Button tone="secondary" aria-label={t('apiKeys.changeKey', { label: row.label })} onClick={onEdit}>
          {t('security.change')}
        </Button>
        <Button tone="secondary" aria-label={t('apiKeys.removeKey', { label: row.label })} onClick={onDelete}>
          {t('apiKeys.remove')}
        </Button>
      </div>
    </li>
  );
}

interface DialogProps {
  /** What is done to the key. */
  what: 'delete' | 'confirm';
  row: ApiKey;
  onClose(): void;
  onDone(): void;
}

function SuretyDialog({ what, row, onClose, onDone }: DialogProps) {
  const { t } = useTranslation('setting');
  const deletes = what === 'delete';
  const [text, setText] = useState('');
  const by = { hasFactor: useHasFactor(), text };
  const [tried, setTried] = useState(false);
  const [sending, setSending] = useState(false);

  async function send() {
    setTried(true);
    if (!isComplete(by)) return;
    setSending(true);
    const reply = await (deletes ? deleteKey : confirmKey)(row.id, by);
    setSending(false);
    if (reply.ok) onDone();
  }

  return (
    <ConfirmDialog
      open
      title={t(deletes ? 'apiKeys.delete' : 'apiKeys.confirmTitle')}
      tone={deletes ? 'danger' : 'primary'}
      loading={sending}
      onClose={onClose}
      onConfirm={() => void send()}
    >
      <p className={css.sure}>{t(deletes ? 'apiKeys.deleteNote' : 'apiKeys.confirmNote', { label: row.label })}</p>
      <SuretyField value={text} onChange={setText} tried={tried} />
    </ConfirmDialog>
  );
}

/** What is being done to which key. */
type Doing = { what: 'create' } | { what: 'edit' | 'delete' | 'confirm'; row: ApiKey };

export default function ApiKeysPage() {
  const { t } = useTranslation('setting');
  const client = useQueryClient();
  const { data, error, isPending, refetch } = useApiKeys();
  // Asked for before a form needs it.
  useHasFactor();
  const [doing, setDoing] = useState<Doing | null>(null);
  const [made, setMade] = useState<NewApiKey | null>(null);

  function done(text: string) {
    setDoing(null);
    toast.success(text);
    void client.invalidateQueries({ queryKey: API_KEYS });
  }

  return (
    <>
      <NavBar
        title={t('apiKeys.title')}
        right={
          <IconButton label={t('apiDocs.howTo')} onClick={() => navigateTo(PATHS.apiDocs)}>
            <CircleHelp size={20} />
          </IconButton>
        }
      />
      <PullRefresh onRefresh={refetch}>
        <p className={css.note}>{t('apiKeys.note')}</p>
        {made && <Made made={made} onStored={() => setMade(null)} />}
        {error && <ErrorState compact={data !== undefined} error={error} onRetry={() => void refetch()} />}
        {isPending && <SkeletonRows rows={3} icon={false} />}
        {data?.length === 0 && !made && <Empty title={t('apiKeys.empty')} />}
        {data && data.length > 0 && (
          <ul className={css.rows} aria-label={t('apiKeys.title')}>
            {data.map((row) => (
              <Row
                key={row.id}
                row={row}
                onEdit={() => setDoing({ what: 'edit', row })}
                onDelete={() => setDoing({ what: 'delete', row })}
                onConfirm={() => setDoing({ what: 'confirm', row })}
              />
            ))}
          </ul>
        )}
        {data && (
          <div className={css.create}>
            <Button block size="l" icon={<Plus size={18} />} onClick={() => setDoing({ what: 'create' })}>
              {t('apiKeys.create')}
            </Button>
          </div>
        )}
      </PullRefresh>
      {(doing?.what === 'delete' || doing?.what === 'confirm') && (
        <SuretyDialog
          what={doing.what}
          row={doing.row}
          onClose={() => setDoing(null)}
          onDone={() => done(t(doing.what === 'delete' ? 'apiKeys.deleted' : 'apiKeys.confirmed'))}
        />
      )}
      {(doing?.what === 'create' || doing?.what === 'edit') && (
        <ApiKeyForm
          open
          apiKey={doing.what === 'edit' ? doing.row : null}
          onClose={() => setDoing(null)}
          onDone={(key) => {
            if (key) setMade(key);
            done(t(key ? 'apiKeys.created' : 'apiKeys.changed'));
          }}
        />
      )}
    </>
  );
}

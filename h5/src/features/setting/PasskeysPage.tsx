import { useQueryClient } from '@tanstack/react-query';
import { Fingerprint } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, Empty, ErrorState, Input, List, ListItem, NavBar, SkeletonRows } from '@/components/ui';
import { proofOf, SAFE_STATE, type SafeState, useSafeState } from '@/lib/api/safe';
import { formatMoment } from '@/lib/format';
import { secondAnswerOf } from '@/lib/secondFactor';
import { toast } from '@/lib/toast';
import { AuthenticatorForm } from './AuthenticatorForm';
import css from './AuthenticatorPage.module.css';
import { addPasskey, removePasskey } from './api/safe';
import { RemoveFactorDialog, WhoField } from './FactorFields';
import { RecoveryCodes } from './RecoveryCodes';

type Passkey = SafeState['factors'][number];

/** Letters of a name at most, as the server has it. */
const MOST_LETTERS = 64;

/** Asks who is there, then the browser for a passkey; `onAdded` gets the recovery codes of a first factor. */
function Add({ hasFactor, onAdded }: { hasFactor: boolean; onAdded(codes: readonly string[]): void }) {
  const { t } = useTranslation('setting');
  const [label, setLabel] = useState('');
  const [text, setText] = useState('');
  const [tried, setTried] = useState(false);

  async function add() {
    setTried(true);
    if (hasFactor ? !secondAnswerOf(text) : text === '') return;
    const proof = hasFactor ? await proofOf({ action: 'passkey_add' }, text) : null;
    if (hasFactor && proof === null) return;
    const codes = await addPasskey(label.trim(), proof === null ? { password: text } : { proof });
    if (codes === null) return;
    setLabel('');
    setText('');
    setTried(false);
    onAdded(codes);
  }

  return (
    <AuthenticatorForm submit={t('passkeys.add')} onSubmit={add}>
      {hasFactor && <p className={css.note}>{t('passkeys.paused')}</p>}
      <Input
        label={t('passkeys.label')}
        hint={t('passkeys.labelHint')}
        maxLength={MOST_LETTERS}
        value={label}
        onChange={(event) => setLabel(event.target.value)}
      />
      <WhoField hasFactor={hasFactor} value={text} onChange={setText} tried={tried} />
    </AuthenticatorForm>
  );
}

function Passkeys({ passkeys, onRemove }: { passkeys: readonly Passkey[]; onRemove(id: number): void }) {
  const { t } = useTranslation('setting');
  if (passkeys.length === 0) return <Empty title={t('passkeys.none')} />;
  return (
    <List>
      {passkeys.map(({ id, label, created_at_ms }) => {
        const name = label || t('passkeys.unnamed');
        return (
          <ListItem
            key={id}
            icon={<Fingerprint size={19} />}
            title={name}
            note={t('passkeys.since', { date: formatMoment(created_at_ms) })}
            value={
              <Button
                tone="secondary"
                aria-label={t('passkeys.removeOne', { label: name })}
                onClick={() => onRemove(id)}
              >
                {t('passkeys.remove')}
              </Button>
            }
          />
        );
      })}
    </List>
  );
}

export default function PasskeysPage() {
  const { t } = useTranslation('setting');
  const client = useQueryClient();
  const { data, error, isPending, refetch } = useSafeState();
  const [codes, setCodes] = useState<readonly string[]>([]);
  const [removing, setRemoving] = useState<number>();

  function changed(text: string) {
    toast.success(text);
    void client.invalidateQueries({ queryKey: SAFE_STATE });
  }

  return (
    <>
      <NavBar title={t('passkeys.title')} />
      {error && <ErrorState compact={data !== undefined} error={error} onRetry={() => void refetch()} />}
      {isPending && <SkeletonRows rows={3} icon={false} />}
      {codes.length > 0 && <RecoveryCodes codes={codes} onStored={() => setCodes([])} />}
      {codes.length === 0 && data && (
        <>
          <div className={css.body}>
            <p className={css.note}>{t('passkeys.note')}</p>
          </div>
          <Passkeys passkeys={data.factors.filter(({ kind }) => kind === 'passkey')} onRemove={setRemoving} />
          {data.passkeys ? (
            <Add
              hasFactor={data.factors.length > 0}
              onAdded={(fresh) => {
                setCodes(fresh);
                changed(t('passkeys.added'));
              }}
            />
          ) : (
            <p className={css.note}>{t('passkeys.off')}</p>
          )}
        </>
      )}
      {removing !== undefined && (
        <RemoveFactorDialog
          title={t('passkeys.removeTitle')}
          note={t('passkeys.removeNote')}
          remove={(answer) => removePasskey(removing, answer)}
          onClose={() => setRemoving(undefined)}
          onDone={() => {
            setRemoving(undefined);
            changed(t('passkeys.removed'));
          }}
        />
      )}
    </>
  );
}

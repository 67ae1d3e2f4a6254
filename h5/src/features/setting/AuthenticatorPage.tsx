import { useQueryClient } from '@tanstack/react-query';
import { Copy, Download } from 'lucide-react';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, ConfirmDialog, ErrorState, Input, NavBar, PasswordInput, SkeletonRows } from '@/components/ui';
import { copyText } from '@/lib/clipboard';
import { formatMoment } from '@/lib/format';
import { secondCodeOf } from '@/lib/secondFactor';
import { toast } from '@/lib/toast';
import { isCode } from '@/lib/validators';
import css from './AuthenticatorPage.module.css';
import { beginTotp, confirmTotp, type NewTotp, proofOf, removeTotp, SAFE_STATE, useSafeState } from './api/safe';
import { Copied } from './Copied';
import { QrCode } from './QrCode';
import { SecondCode } from './SecondCode';

function save(codes: readonly string[]): void {
  const url = URL.createObjectURL(new Blob([`${codes.join('\n')}\n`], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = 'recovery-codes.txt';
  link.click();
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Codes that are told once: not in a dialog, which a stray tap would close for ever. */
function RecoveryCodes({ codes, onStored }: { codes: readonly string[]; onStored(): void }) {
  const { t } = useTranslation('setting');
  return (
    <section className={css.body} aria-label={t('authenticator.recovery')}>
      <h2 className={css.title}>{t('authenticator.recovery')}</h2>
      <p className={css.warn}>{t('authenticator.recoveryNote')}</p>
      <ul className={css.codes}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className={css.two}>
        <Button tone="secondary" icon={<Copy size={16} />} onClick={() => void copyText(codes.join('\n'))}>
          {t('authenticator.copy')}
        </Button>
        <Button tone="secondary" icon={<Download size={16} />} onClick={() => save(codes)}>
          {t('authenticator.download')}
        </Button>
      </div>
      <Button block size="l" onClick={onStored}>
        {t('apiKeys.stored')}
      </Button>
    </section>
  );
}

interface FormProps {
  submit: string;
  /** Sends what was entered. */
  onSubmit(): Promise<void>;
  children: ReactNode;
}

function Form({ submit, onSubmit, children }: FormProps) {
  const [sending, setSending] = useState(false);
  async function send(event: FormEvent) {
    event.preventDefault();
    setSending(true);
    await onSubmit();
    setSending(false);
  }
  return (
    <form className={css.body} noValidate onSubmit={(event) => void send(event)}>
      {children}
      <Button type="submit" size="l" block loading={sending} throttleMs={1000}>
        {submit}
      </Button>
    </form>
  );
}

/** Asks who is there: by the login password, or by a code of the authenticator that is in use. */
function Begin({ hasFactor, onBegun }: { hasFactor: boolean; onBegun(totp: NewTotp): void }) {
  const { t } = useTranslation('setting');
  const [text, setText] = useState('');
  const [tried, setTried] = useState(false);

  async function begin() {
    setTried(true);
    if (hasFactor ? !secondCodeOf(text) : text === '') return;
    const proof = hasFactor ? await proofOf({ action: 'totp_begin' }, text) : null;
    if (hasFactor && proof === null) return;
    const reply = await beginTotp(proof === null ? { password: text } : { proof });
    if (reply.ok) onBegun(reply.data);
  }

  return (
    <Form submit={t(hasFactor ? 'authenticator.replace' : 'authenticator.begin')} onSubmit={begin}>
      <p className={css.note}>{t(hasFactor ? 'authenticator.replaceNote' : 'authenticator.off')}</p>
      {hasFactor ? (
        <SecondCode value={text} onChange={setText} tried={tried} />
      ) : (
        <PasswordInput
          label={t('security.login')}
          autoComplete="current-password"
          value={text}
          error={tried && text === '' ? t('apiKeys.problem.password') : undefined}
          onChange={(event) => setText(event.target.value)}
        />
      )}
    </Form>
  );
}

function SetUp({ totp, onDone }: { totp: NewTotp; onDone(codes: string[]): void }) {
  const { t } = useTranslation('setting');
  const [first, setFirst] = useState('');
  const [next, setNext] = useState('');
  const [tried, setTried] = useState(false);
  const problem = (code: string) => (tried && !isCode(code) ? t('authenticator.problem.six') : undefined);

  async function confirm() {
    setTried(true);
    if (!isCode(first) || !isCode(next)) return;
    const reply = await confirmTotp(totp.id, first, next);
    if (reply.ok) onDone(reply.data.recovery_codes);
  }

  return (
    <Form submit={t('authenticator.turnOn')} onSubmit={confirm}>
      <p className={css.note}>{t('authenticator.scan')}</p>
      <QrCode text={totp.uri} label={t('authenticator.qr')} />
      <Copied look="whole" label={t('authenticator.secret')} text={totp.secret} />
      <p className={css.note}>{t('authenticator.two')}</p>
      <div className={css.two}>
        <Input
          label={t('authenticator.first')}
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={6}
          value={first}
          error={problem(first)}
          onChange={(event) => setFirst(event.target.value)}
        />
        <Input
          label={t('authenticator.next')}
          inputMode="numeric"
          autoComplete="off"
          maxLength={6}
          value={next}
          error={problem(next)}
          onChange={(event) => setNext(event.target.value)}
        />
      </div>
    </Form>
  );
}

function RemoveDialog({ id, onClose, onDone }: { id: number; onClose(): void; onDone(): void }) {
  const { t } = useTranslation('setting');
  const [text, setText] = useState('');
  const [tried, setTried] = useState(false);
  const [sending, setSending] = useState(false);

  async function send() {
    setTried(true);
    if (!secondCodeOf(text)) return;
    setSending(true);
    const removed = await removeTotp(id, text);
    setSending(false);
    if (removed) onDone();
  }

  return (
    <ConfirmDialog
      open
      title={t('authenticator.removeTitle')}
      tone="danger"
      loading={sending}
      onClose={onClose}
      onConfirm={() => void send()}
    >
      <p className={css.note}>{t('authenticator.removeNote')}</p>
      <SecondCode value={text} onChange={setText} tried={tried} />
    </ConfirmDialog>
  );
}

export default function AuthenticatorPage() {
  const { t } = useTranslation('setting');
  const client = useQueryClient();
  const { data, error, isPending, refetch } = useSafeState();
  const [totp, setTotp] = useState<NewTotp | null>(null);
  const [codes, setCodes] = useState<string[] | null>(null);
  const [removing, setRemoving] = useState(false);
  const factor = data?.factors[0];

  function changed(text: string) {
    toast.success(text);
    void client.invalidateQueries({ queryKey: SAFE_STATE });
  }

  function turnedOn(recovery: string[]) {
    setTotp(null);
    setCodes(recovery);
    changed(t('authenticator.turnedOn'));
  }

  return (
    <>
      <NavBar title={t('authenticator.title')} />
      {error && <ErrorState compact={data !== undefined} error={error} onRetry={() => void refetch()} />}
      {isPending && <SkeletonRows rows={3} icon={false} />}
      {codes && <RecoveryCodes codes={codes} onStored={() => setCodes(null)} />}
      {!codes && totp && <SetUp totp={totp} onDone={turnedOn} />}
      {!codes && !totp && data && (
        <>
          {factor && (
            <div className={css.body}>
              <section className={css.on}>
                <h2 className={css.title}>{t('authenticator.since', { date: formatMoment(factor.created_at_ms) })}</h2>
                <p className={data.recovery_left < 3 ? css.warn : css.note}>
                  {t('authenticator.left', { left: data.recovery_left })}
                </p>
              </section>
              <Button block tone="secondary" onClick={() => setRemoving(true)}>
                {t('authenticator.remove')}
              </Button>
            </div>
          )}
          <Begin key={factor?.id} hasFactor={factor !== undefined} onBegun={setTotp} />
        </>
      )}
      {removing && factor && (
        <RemoveDialog
          id={factor.id}
          onClose={() => setRemoving(false)}
          onDone={() => {
            setRemoving(false);
            changed(t('authenticator.removed'));
          }}
        />
      )}
    </>
  );
}

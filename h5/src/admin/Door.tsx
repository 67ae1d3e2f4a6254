/** The door: a login by password and passkey, and the enrolment that a link opens. */
import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import type { CreateOptions, SignOptions } from '@/lib/passkeys';
import css from './admin.module.css';
import { post } from './api';
import { create, sign, why } from './passkeys';

const LEAST = 12;

function Card({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main className={css.door}>
      <div>
        <h1>{title}</h1>
        <Elsewhere />
        {children}
      </div>
    </main>
  );
}

/** Browsers make no passkeys for addresses in digits; a demo is reached by a name too. */
function Elsewhere() {
  const { hostname, port, protocol, hash } = location;
  if (!/^[\d.]+$|:/.test(hostname)) return null;
  return (
    <p data-tone="warn">
      Browsers use passkeys by name only: open{' '}
      <a href={`${protocol}//localhost:${port}/admin/${hash}`}>the back office at localhost</a>.
    </p>
  );
}

export function Login({ enter }: { enter: () => Promise<void> }) {
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [trouble, setTrouble] = useState('');
  const [busy, setBusy] = useState(false);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setTrouble('');
    try {
      const begun = await post<{ challenge: string; options: SignOptions }>('login/begin', { name, password });
      const assertion = await sign(begun.options);
      await post('login/finish', { challenge: begun.challenge, assertion });
      await enter();
    } catch (error) {
      setTrouble(why(error));
      setPassword('');
    }
    setBusy(false);
  };

  return (
    <Card title="Back office">
      <form onSubmit={submit}>
        <label htmlFor="name">Name</label>
        <input
          id="name"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          required
          value={name}
          onChange={({ target }) => setName(target.value.trim())}
        />
        <label htmlFor="password">Password</label>
        <input
          id="password"
          type="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={({ target }) => setPassword(target.value)}
        />
        <p role="alert" data-tone="bad">
          {trouble}
        </p>
        <button type="submit" disabled={busy}>
          {busy ? 'Waiting for your passkey…' : 'Log in with your passkey'}
        </button>
      </form>
      <p className={css.dim}>A session ends after 30 minutes without a call, and after 8 hours.</p>
    </Card>
  );
}

interface Begun {
  challenge: string;
  name: string;
  role: string;
  options: CreateOptions;
}

/** Two owners gave half of a code each: the link brings the first one, the second is typed. */
const isHalf = (code: string) => code.endsWith('.');

export function Enrol() {
  const { code: brought = '' } = useParams();
  const [code, setCode] = useState(isHalf(brought) ? '' : brought);
  if (code === '') return <SecondHalf have={(half) => setCode(`${brought}${half}`)} />;
  return <Enrolment code={code} again={() => setCode(isHalf(brought) ? '' : brought)} />;
}

function SecondHalf({ have }: { have: (half: string) => void }) {
  const [half, setHalf] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    have(half);
  };
  return (
    <Card title="Enrolment">
      <p className={css.dim}>Two owners agreed about you. One gave you this link, the other one has a second half.</p>
      <form onSubmit={submit}>
        <label htmlFor="half">Second half of the code</label>
        <input
          id="half"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          required
          value={half}
          onChange={({ target }) => setHalf(target.value.trim())}
        />
        <button type="submit">Go on</button>
      </form>
    </Card>
  );
}

function Enrolment({ code, again: back }: { code: string; again: () => void }) {
  const navigate = useNavigate();
  const [begun, setBegun] = useState<Begun | null>(null);
  const [password, setPassword] = useState('');
  const [again, setAgain] = useState('');
  const [trouble, setTrouble] = useState('');
  const [busy, setBusy] = useState(false);

  useEffect(() => {
    post<Begun>('enrol/begin', { code }).then(setBegun, (error) => setTrouble(why(error)));
  }, [code]);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setTrouble('');
    if (password !== again) {
      setTrouble('The passwords differ.');
      return;
    }
    setBusy(true);
    try {
      const { challenge, options } = await post<Begun>('enrol/begin', { code });
      const registration = await create(options);
      await post('enrol/finish', { code, challenge, password, registration });
      await navigate('/', { replace: true });
    } catch (error) {
      setTrouble(why(error));
    }
    setBusy(false);
  };

  if (!begun)
    return (
      <Card title="Enrolment">
        <p role="alert" data-tone="bad">
          {trouble}
        </p>
        {trouble === '' && <p className={css.dim}>Looking at your code…</p>}
        {trouble !== '' && code.includes('.') && (
          <button type="button" onClick={back}>
            Type the second half again
          </button>
        )}
        {trouble !== '' && <a href="#/">To the login</a>}
      </Card>
    );
  return (
    <Card title={`Welcome, ${begun.name}`}>
      <p className={css.dim}>
        You work here as <strong>{begun.role}</strong>. Set a password and a passkey; each login asks for both, and each
        decision for the passkey.
      </p>
      <form onSubmit={submit}>
        <input type="text" autoComplete="username" value={begun.name} readOnly hidden />
        <label htmlFor="password">New password</label>
        <input
          id="password"
          type="password"
          autoComplete="new-password"
          minLength={LEAST}
          maxLength={64}
          required
          aria-describedby="rule"
          value={password}
          onChange={({ target }) => setPassword(target.value)}
        />
        <small id="rule" className={css.dim}>
          12 to 64 characters, and none that everybody tries first
        </small>
        <label htmlFor="again">The same again</label>
        <input
          id="again"
          type="password"
          autoComplete="new-password"
          required
          value={again}
          onChange={({ target }) => setAgain(target.value)}
        />
        <p role="alert" data-tone="bad">
          {trouble}
        </p>
        <button type="submit" disabled={busy}>
          {busy ? 'Waiting for your passkey…' : 'Make a passkey and enrol'}
        </button>
      </form>
    </Card>
  );
}

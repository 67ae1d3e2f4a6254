/** The door: one token, nothing kept in the browser but the cookie that it gives. */
import { type FormEvent, useState } from 'react';
import css from './ops.module.css';
import { login } from './useConsole';

export function Login({ enter }: { enter: () => void }) {
  const [token, setToken] = useState('');
  const [why, setWhy] = useState('');
  const [busy, setBusy] = useState(false);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    const refused = await login(token);
    setBusy(false);
    setWhy(refused ?? '');
    setToken('');
    if (refused === null) enter();
  };

  return (
    <main className={css.login}>
      <form onSubmit={submit}>
        <h1>Operations</h1>
        <p className={css.dim}>The token is the exchange's setting ops.token.</p>
        <label htmlFor="token">Token</label>
        <input
          id="token"
          type="password"
          autoComplete="current-password"
          required
          value={token}
          onChange={({ target }) => setToken(target.value)}
        />
        <p role="alert" data-tone="bad">
          {why}
        </p>
        <button type="submit" disabled={busy}>
          Open the console
        </button>
      </form>
    </main>
  );
}

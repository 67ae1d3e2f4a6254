/** Proposes somebody for the staff. */
import { type FormEvent, useState } from 'react';
import css from './admin.module.css';
import { DetailHead, Part } from './Parts';
import { useReasoned } from './reasoned';
import type { Half } from './types';

interface Props {
  roles: string[];
  close: () => void;
  given: (half: Half) => void;
}

/** What who proposes hands over. */
export const firstHalf = (name: string, link: string): Half => ({
  title: `For ${name}: the first half`,
  note: `Another owner has to agree within 72 hours, and gets the second half. ${name} opens this link then, and types the other half.`,
  text: link,
});

export function StaffEditor({ roles, close, given }: Props) {
  const [name, setName] = useState('');
  const [role, setRole] = useState(roles[0] ?? '');
  const [account, setAccount] = useState('');
  const { reason, setReason, trouble, busy, isSaid, send } = useReasoned<{ link: string }>(
    'staff/propose',
    ({ link }) => given(firstHalf(name, link)),
  );
  const go = (event: FormEvent) => {
    event.preventDefault();
    void send({ action: 'add', name, role, account: account === '' ? null : Number(account) });
  };
  return (
    <aside className={css.detail} aria-label="Add somebody">
      <DetailHead title="Add somebody" close={close} />
      <Part title="Who">
        <p className={css.dim}>
          Another owner has to agree. Each of you hands over half of a code, so that neither enrols as somebody else.
        </p>
        <form className={css.decision} onSubmit={go}>
          <label htmlFor="name">Name: small letters, digits, dots and dashes; for ever</label>
          <input
            id="name"
            autoComplete="off"
            maxLength={32}
            value={name}
            onChange={({ target }) => setName(target.value.trim().toLowerCase())}
          />
          <label htmlFor="role">Role</label>
          <select id="role" value={role} onChange={({ target }) => setRole(target.value)}>
            {roles.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
          <label htmlFor="account">Their own account here, about which they decide nothing</label>
          <input
            id="account"
            autoComplete="off"
            inputMode="numeric"
            maxLength={12}
            placeholder="None"
            value={account}
            onChange={({ target }) => setAccount(target.value.replace(/\D/g, ''))}
          />
          <label htmlFor="reason">Reason, for who decides and the audit</label>
          <input
            id="reason"
            autoComplete="off"
            maxLength={200}
            value={reason}
            onChange={({ target }) => setReason(target.value)}
          />
          <p role="alert" data-tone="bad">
            {trouble}
          </p>
          <button type="submit" data-kind="yes" disabled={busy || name === '' || !isSaid}>
            Propose
          </button>
        </form>
      </Part>
    </aside>
  );
}

/** Proposes a campaign: what its coupons are worth, how many, how long, and the code that opens them. */
import { type FormEvent, Fragment, useState } from 'react';
import css from './admin.module.css';
import { post, useSession } from './api';
import { COUPON_KINDS } from './couponKinds';
import { DetailHead, Part } from './Parts';
import { why } from './passkeys';

const DAY_MS = 86_400_000;
const EMPTY = {
  name: '',
  kind: 'cash',
  asset: 'USDT',
  value: '',
  coupons: '100',
  days: '30',
  lasts: '90',
  code: '',
  reason: '',
};
type Field = keyof typeof EMPTY;

const FIELDS: [name: Field, label: string, more: { inputMode?: 'numeric' | 'decimal'; maxLength: number }][] = [
  ['name', 'Name, as users read it', { maxLength: 64 }],
  ['value', 'Value of a coupon', { inputMode: 'decimal', maxLength: 24 }],
  ['coupons', 'Coupons at most', { inputMode: 'numeric', maxLength: 6 }],
  ['days', 'Days in which a coupon is used', { inputMode: 'numeric', maxLength: 3 }],
  ['lasts', 'Days until the campaign ends', { inputMode: 'numeric', maxLength: 3 }],
  ['code', 'Code (8 letters or more), or empty when people issue them', { maxLength: 64 }],
  ['reason', 'Reason, for who decides and the audit', { maxLength: 200 }],
];

interface Props {
  free: { asset: string; available: string }[];
  close: () => void;
  done: (proposal: number) => void;
}

export function CampaignEditor({ free, close, done }: Props) {
  const { me } = useSession();
  const [typed, setTyped] = useState({ ...EMPTY, asset: free[0]?.asset ?? EMPTY.asset });
  const [trouble, setTrouble] = useState('');
  const [busy, setBusy] = useState(false);
  const { name, value, reason } = typed;
  const isWhole = [typed.coupons, typed.days, typed.lasts].every((text) => /^[1-9]\d*$/.test(text));
  const go = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setTrouble('');
    try {
      const { kind, asset, coupons, days, lasts, code } = typed;
      const ends_ms = Date.now() + Number(lasts) * DAY_MS;
      const body = { name, kind, asset, value, coupons: Number(coupons), days: Number(days), ends_ms, code, reason };
      done((await post<{ case: number }>('campaigns/propose', body, me.word)).case);
    } catch (error) {
      setTrouble(why(error));
    }
    setBusy(false);
  };
  return (
    <aside className={css.detail} aria-label="Propose a campaign">
      <DetailHead title="New campaign" close={close} />
      <Part title="Terms">
        <p className={css.dim}>
          Its money is set apart when another person agrees, within 72 hours. Terms do not change.
        </p>
        <form className={css.decision} onSubmit={(event) => void go(event)}>
          <label htmlFor="kind">Kind</label>
          <select id="kind" value={typed.kind} onChange={({ target }) => setTyped({ ...typed, kind: target.value })}>
            {Object.entries(COUPON_KINDS).map(([kind, words]) => (
              <option key={kind} value={kind}>
                {words}
              </option>
            ))}
          </select>
          <label htmlFor="asset">Asset</label>
          <select id="asset" value={typed.asset} onChange={({ target }) => setTyped({ ...typed, asset: target.value })}>
            {free.map(({ asset, available }) => (
              <option key={asset} value={asset}>
                {asset}: {available} left
              </option>
            ))}
          </select>
          {FIELDS.map(([field, label, more]) => (
            <Fragment key={field}>
              <label htmlFor={field}>{label}</label>
              <input
                id={field}
                autoComplete="off"
                {...more}
                value={typed[field]}
                onChange={({ target }) => setTyped({ ...typed, [field]: target.value })}
              />
            </Fragment>
          ))}
          <p role="alert" data-tone="bad">
            {trouble}
          </p>
          <button
            type="submit"
            data-kind="yes"
            disabled={busy || !isWhole || name.trim() === '' || value.trim() === '' || reason.trim() === ''}
          >
            Propose
          </button>
        </form>
      </Part>
    </aside>
  );
}

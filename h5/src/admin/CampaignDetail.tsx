/** One campaign: its figures, stopping it, coupons that people issue to an account and take back. */
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import css from './admin.module.css';
import { get, useSession } from './api';
import { COUPON_KINDS } from './couponKinds';
import { time } from './format';
import { Badge, DetailHead, Facts, Part, type Tone, Trouble } from './Parts';
import { useReasoned } from './reasoned';
import type { AccountCoupon, Campaign } from './types';

export const STATES: Record<Campaign['state'], Tone> = { open: 'good', stopped: 'warn', closed: 'plain' };

interface Props {
  row: Campaign;
  close: () => void;
  done: () => void;
}

export function CampaignDetail({ row, close, done }: Props) {
  const { may } = useSession();
  return (
    <aside className={css.detail} aria-label={`Campaign ${row.campaign}`}>
      <DetailHead title={row.name} close={close}>
        <Badge tone={STATES[row.state]}>{row.state}</Badge>
      </DetailHead>
      <Facts
        rows={[
          ['Coupon', `${row.value} ${row.asset}`],
          ['Kind', COUPON_KINDS[row.kind]],
          ['Out', `${row.out} of ${row.coupons}, ${row.used} used, ${row.revoked} taken back`],
          ['Locked', `${row.locked} ${row.asset}`],
          ['Used within', `${row.days} days`],
          ['Ends', time(row.ends_ms)],
          ['By a code', row.by_code ? 'yes' : 'no'],
        ]}
      />
      {row.state === 'open' && may('StopCampaigns') && (
        <Part title="Stop it">
          <p className={css.dim}>No more coupons are issued. Those that are out can be used.</p>
          <Act path={`campaigns/${row.campaign}/stop`} action="Stop it at once" done={done} />
        </Part>
      )}
      <OfAccount row={row} done={done} />
    </aside>
  );
}

interface ActProps {
  path: string;
  action: string;
  /** What is told besides the reason. */
  about?: { account: number };
  disabled?: boolean;
  kind?: 'yes' | 'no';
  done: () => void;
}

/** A change with a reason. */
function Act({ path, action, about, disabled = false, kind = 'no', done }: ActProps) {
  const { reason, setReason, trouble, busy, isSaid, send } = useReasoned(path, done);
  const go = (event: FormEvent) => {
    event.preventDefault();
    void send(about);
  };
  return (
    <form className={css.order} onSubmit={go}>
      <input
        aria-label={`Why: ${action}`}
        placeholder="Reason"
        maxLength={200}
        value={reason}
        onChange={({ target }) => setReason(target.value)}
      />
      <button type="submit" data-kind={kind} disabled={busy || disabled || !isSaid}>
        {action}
      </button>
      <p role="alert" data-tone="bad">
        {trouble}
      </p>
    </form>
  );
}

const TONES = { unused: 'good', paid: 'good', used: 'plain', revoked: 'bad', expired: 'plain' } as const;

/** Coupons of one account: what it has of all campaigns, one more of this one, one less. */
function OfAccount({ row, done }: { row: Campaign; done: () => void }) {
  const { may } = useSession();
  const [typed, setTyped] = useState('');
  const account = Number(typed);
  const isNumber = Number.isSafeInteger(account) && account > 0;
  const { data, error, refetch } = useQuery({
    queryKey: ['coupons', account],
    queryFn: () => get<{ rows: AccountCoupon[] }>(`coupons?account=${account}`),
    enabled: isNumber,
  });
  const again = () => {
    void refetch();
    done();
  };
  return (
    <Part title="Coupons of an account">
      <input
        className={css.short}
        inputMode="numeric"
        aria-label="Account"
        placeholder="Account"
        value={typed}
        onChange={({ target }) => setTyped(target.value.trim())}
      />
      {error && <Trouble error={error} again={() => void refetch()} />}
      {isNumber && data?.rows.length === 0 && <p className={css.dim}>It has had none.</p>}
      {data?.rows.map((one) => (
        <div key={one.coupon}>
          <p>
            <Badge tone={TONES[one.state]}>{one.state}</Badge> {one.value} {one.asset}, campaign {one.campaign}{' '}
            <span className={css.dim}>until {time(one.expires_ms)}</span>
          </p>
          {one.state === 'unused' && may('RevokeCoupons') && (
            <Act
              path={`coupons/${one.coupon}/revoke`}
              action={`Take ${one.coupon} back`}
              about={{ account }}
              done={again}
            />
          )}
        </div>
      ))}
      {row.state === 'open' && may('IssueCoupons') && (
        <Act
          path={`campaigns/${row.campaign}/issue`}
          action="Issue one"
          about={{ account }}
          disabled={!isNumber}
          kind="yes"
          done={again}
        />
      )}
    </Part>
  );
}

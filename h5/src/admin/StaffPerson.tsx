/** One person of the staff, and what owners do about them. */
import css from './admin.module.css';
import { useSession } from './api';
import { time } from './format';
import { Order } from './Order';
import { DetailHead, Facts } from './Parts';
import { firstHalf } from './StaffEditor';
import type { Half, Person } from './types';

interface Props {
  row: Person;
  close: () => void;
  done: () => void;
  given: (half: Half) => void;
}

export function PersonDetail({ row, close, done, given }: Props) {
  const { me, may } = useSession();
  const manages = may('ManageStaff') && !row.disabled && row.id !== me.id;
  const { enrolment } = row;
  return (
    <aside className={css.detail} aria-label={row.signs}>
      <DetailHead title={row.signs} close={close} />
      <Facts
        rows={[
          ['Role', row.role],
          ['Own account', row.account ?? '–'],
          ['Since', time(row.created_ms)],
          ['Enrolled', row.enrolled ? 'yes' : 'no'],
          ...(enrolment
            ? ([
                ['Enrolment opens', enrolment.opens_ms > Date.now() ? time(enrolment.opens_ms) : 'is open'],
                ['and ends', time(enrolment.expires_ms)],
              ] as [string, string][])
            : []),
        ]}
      />
      {manages && enrolment && (
        <Order
          name="Stop the enrolment"
          note="Its code opens nothing any more, at once."
          path={`staff/${row.id}/stop-enrolment`}
          kind="no"
          done={done}
        />
      )}
      {manages && (
        <>
          <Order
            name="Propose to enrol anew"
            note="For who lost the passkey or forgot the password. When another owner agrees, password, passkey and sessions end."
            path="staff/propose"
            about={{ action: 'renew', name: row.name }}
            kind="yes"
            done={(answer: { link: string }) => given(firstHalf(row.name, answer.link))}
          />
          <Order
            name="Disable at once"
            note="Nothing opens for this person any more, for ever; sessions end. The name stays theirs."
            path={`staff/${row.id}/disable`}
            kind="no"
            done={done}
          />
        </>
      )}
    </aside>
  );
}

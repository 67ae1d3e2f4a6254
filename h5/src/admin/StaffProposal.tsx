/** Somebody who is proposed for the staff, and the decision of another owner. */
import css from './admin.module.css';
import { CASE_TONES, CaseParts } from './CaseParts';
import { time } from './format';
import { Badge, DetailHead, Facts } from './Parts';
import type { Half, StaffCase } from './types';

interface Props {
  row: StaffCase;
  me: string;
  close: () => void;
  done: () => void;
  given: (half: Half) => void;
}

export function StaffProposal({ row, me, close, done, given }: Props) {
  const name = row.terms?.name ?? '';
  const decided = (answer: { half?: string }) => {
    if (answer.half === undefined) return done();
    given({
      title: `For ${name}: the second half`,
      note: `${name} types it on the page that the first half opens, within a day. ${row.proposed_by} has the first half.`,
      text: answer.half,
    });
  };
  return (
    <aside className={css.detail} aria-label={`Proposal ${row.case}`}>
      <DetailHead title={name} close={close}>
        <Badge tone={CASE_TONES[row.state]}>{row.state}</Badge>
      </DetailHead>
      {row.terms && (
        <Facts
          rows={[
            ['What', row.terms.action === 'renew' ? 'enrols anew' : 'is added'],
            ['Role', row.terms.role],
            ['Own account', row.terms.account ?? '–'],
            ['Proposed', time(row.proposed_ms)],
          ]}
        />
      )}
      <CaseParts
        row={row}
        me={me}
        needs="ManageStaff"
        path={`staff-cases/${row.case}/decide`}
        yes="Agree"
        onlySees="Owners decide about the staff."
        done={decided}
      />
    </aside>
  );
}

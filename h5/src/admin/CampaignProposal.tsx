/** A proposed campaign: all that it would do, and the decision of another person. */
import css from './admin.module.css';
import { CASE_TONES, CaseParts } from './CaseParts';
import { COUPON_KINDS } from './couponKinds';
import { time } from './format';
import { Badge, DetailHead, Facts } from './Parts';
import type { CampaignCase } from './types';

interface Props {
  row: CampaignCase;
  me: string;
  close: () => void;
  done: () => void;
}

export function ProposalDetail({ row, me, close, done }: Props) {
  return (
    <aside className={css.detail} aria-label={`Proposal ${row.case}`}>
      <DetailHead title={row.terms?.name ?? `Proposal ${row.case}`} close={close}>
        <Badge tone={CASE_TONES[row.state]}>{row.state}</Badge>
      </DetailHead>
      {row.terms && (
        <Facts
          rows={[
            ['Coupons', `${row.terms.coupons}, ${row.terms.value} ${row.terms.asset} each`],
            ['Kind', COUPON_KINDS[row.terms.kind]],
            ['Used within', `${row.terms.days} days`],
            ['Ends', time(row.terms.ends_ms)],
            ['Proposed', time(row.proposed_ms)],
            ['By a code', row.terms.code ? 'yes' : 'no: people issue them'],
          ]}
        />
      )}
      <CaseParts
        row={row}
        me={me}
        needs="DecideCampaigns"
        path={`campaign-cases/${row.case}/decide`}
        yes="Agree and open it"
        onlySees="Your role does not decide about campaigns."
        done={done}
      />
    </aside>
  );
}

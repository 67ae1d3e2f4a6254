/** Who works here: two owners add people and have them enrol anew, one disables somebody or stops an enrolment at once. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import css from './admin.module.css';
import { get, useSession } from './api';
import { useAddress, walk } from './desk';
import { time } from './format';
import { Badge, DetailHead, Head, Part, RowButton, Table, Trouble, Waiting } from './Parts';
import { StaffEditor } from './StaffEditor';
import { PersonDetail } from './StaffPerson';
import { StaffProposal } from './StaffProposal';
import type { Half, Person, StaffCase, Staff as Told } from './types';

const EVERY_MS = 5_000;

function State({ of: { disabled, enrolled, enrolment } }: { of: Person }) {
  if (disabled) return <Badge tone="bad">disabled</Badge>;
  if (enrolment?.alone) return <Badge tone="bad">enrolment by one person</Badge>;
  if (enrolment) return <Badge tone="warn">may enrol</Badge>;
  return enrolled ? <Badge tone="good">enrolled</Badge> : <Badge tone="warn">not enrolled</Badge>;
}

export function Staff() {
  const { of, setAll } = useAddress();
  const { may } = useSession();
  const [half, setHalf] = useState<Half | null>(null);
  const [id, chosenCase, write] = [of('id'), of('case'), of('write')];
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['staff'],
    queryFn: () => get<Told>('staff'),
    refetchInterval: EVERY_MS,
    placeholderData: keepPreviousData,
  });
  const again = () => void refetch();
  const open = (what: { id?: string; case?: string; write?: string }) => {
    setHalf(null);
    setAll({ id: '', case: '', write: '', ...what });
  };
  const close = () => open({});
  const given = (shown: Half) => {
    open({});
    setHalf(shown);
    again();
  };
  const person = data?.rows.find((row) => String(row.id) === id);
  const proposal = data?.cases.find((row) => String(row.case) === chosenCase);
  const step = walk(data?.rows.map((row) => String(row.id)) ?? [], id, (next) => open({ id: next }));
  const isOpen = half !== null || person !== undefined || proposal !== undefined || write !== '';
  return (
    <>
      <Head title="Staff" note={data && `${data.rows.filter(({ disabled }) => !disabled).length} work here`}>
        {may('ManageStaff') && (
          <button type="button" onClick={() => open({ write: 'new' })}>
            Add somebody
          </button>
        )}
      </Head>
      {error && <Trouble error={error} again={again} />}
      <div className={css.split} data-open={isOpen} data-wide="true">
        <div className={css.card}>
          {isPending && !error && <Waiting />}
          {data && <Proposals rows={data.cases} open={(own) => open({ case: own })} />}
          {data && (
            <Table
              name="Staff"
              heads={[['Signs as'], ['Role'], ['State'], ['Own account', 'right'], ['Since', 'right']]}
            >
              {data.rows.map((row) => {
                const own = String(row.id);
                return (
                  <tr key={own} data-chosen={own === id} onClick={() => open({ id: own })} onKeyDown={step}>
                    <td>
                      <RowButton id={own} isChosen={own === id} label={`${row.signs}: ${row.role}`}>
                        <b>{row.signs}</b>
                      </RowButton>
                    </td>
                    <td>{row.role}</td>
                    <td>
                      <State of={row} />
                    </td>
                    <td className={css.right}>{row.account ?? '–'}</td>
                    <td className={css.right}>{time(row.created_ms)}</td>
                  </tr>
                );
              })}
            </Table>
          )}
        </div>
        {half && <Handed half={half} close={close} />}
        {write !== '' && data && <StaffEditor roles={data.roles} close={close} given={given} />}
        {person && <PersonDetail key={id} row={person} close={close} done={again} given={given} />}
        {proposal && data && (
          <StaffProposal key={chosenCase} row={proposal} me={data.me} close={close} done={again} given={given} />
        )}
      </div>
    </>
  );
}

function Proposals({ rows, open }: { rows: StaffCase[]; open: (id: string) => void }) {
  const waiting = rows.filter(({ state }) => state === 'proposed');
  if (waiting.length === 0) return null;
  return (
    <>
      <h2>Proposed</h2>
      <Table name="Proposed" heads={[['Who'], ['What'], ['Proposed by'], ['Until', 'right']]}>
        {waiting.map((row) => (
          <tr key={row.case} onClick={() => open(String(row.case))}>
            <td>
              <button type="button" className={css.row} aria-label={`Proposal ${row.case}: ${row.terms?.name}`}>
                <b>{row.terms?.name}</b>
              </button>
            </td>
            <td>{row.terms?.action === 'renew' ? 'enrols anew' : `is added as ${row.terms?.role}`}</td>
            <td>{row.proposed_by}</td>
            <td className={css.right}>{time(row.expires_ms)}</td>
          </tr>
        ))}
      </Table>
    </>
  );
}

/** Half of a code, to be handed over. */
function Handed({ half, close }: { half: Half; close: () => void }) {
  return (
    <aside className={css.detail} aria-label={half.title}>
      <DetailHead title={half.title} close={close} />
      <Part title="Hand it over yourself">
        <p>{half.note}</p>
        <p>
          <code>{half.text}</code>
        </p>
        <button type="button" onClick={() => void navigator.clipboard.writeText(half.text)}>
          Copy
        </button>
        <p className={css.dim}>Nobody is shown it again. Neither half opens anything without the other one.</p>
      </Part>
    </aside>
  );
}

/** Campaigns of coupons: what is proposed, what runs, and beside it the one that is looked at or proposed. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import css from './admin.module.css';
import { get, useSession } from './api';
import { CampaignDetail, STATES } from './CampaignDetail';
import { CampaignEditor } from './CampaignEditor';
import { ProposalDetail } from './CampaignProposal';
import { useAddress, walk } from './desk';
import { time } from './format';
import { Badge, Empty, Head, RowButton, Table, Trouble, Waiting } from './Parts';
import type { Campaign, CampaignCase, Campaigns as Told } from './types';

const EVERY_MS = 5_000;

export function Campaigns() {
  const { of, set, setAll } = useAddress();
  const { may } = useSession();
  const [id, proposal, write] = [of('id'), of('case'), of('write')];
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['campaigns'],
    queryFn: () => get<Told>('campaigns'),
    refetchInterval: EVERY_MS,
    placeholderData: keepPreviousData,
  });
  const again = () => void refetch();
  const close = () => setAll({ id: '', case: '', write: '' });
  const waiting = data?.cases.filter(({ state }) => state === 'proposed') ?? [];
  const campaign = data?.campaigns.find((row) => String(row.campaign) === id);
  const chosen = data?.cases.find((row) => String(row.case) === proposal);
  return (
    <>
      <Head title="Campaigns" note={data && note(data)}>
        {may('ProposeCampaigns') && (
          <button type="button" onClick={() => setAll({ id: '', case: '', write: 'new' })}>
            New campaign
          </button>
        )}
      </Head>
      {error && <Trouble error={error} again={again} />}
      <div className={css.split} data-open={id !== '' || proposal !== '' || write !== ''} data-wide="true">
        <div className={css.card}>
          {isPending && !error && <Waiting />}
          {waiting.length > 0 && (
            <Proposals rows={waiting} chosen={proposal} open={(own) => setAll({ id: '', write: '', case: own })} />
          )}
          {data && <List rows={data.campaigns} chosen={id} open={(own) => setAll({ case: '', write: '', id: own })} />}
        </div>
        {write !== '' && data && (
          <CampaignEditor
            free={data.free}
            close={close}
            done={(own) => {
              setAll({ write: '', case: String(own) });
              again();
            }}
          />
        )}
        {campaign && <CampaignDetail key={id} row={campaign} close={() => set('id', '')} done={again} />}
        {chosen && data && (
          <ProposalDetail key={proposal} row={chosen} me={data.me} close={() => set('case', '')} done={again} />
        )}
      </div>
    </>
  );
}

function note({ free, campaigns }: Told): string {
  const open = campaigns.filter(({ state }) => state === 'open').length;
  const rest = free.map(({ asset, available }) => `${available} ${asset}`).join(', ');
  return `${open} open; for new ones ${rest === '' ? 'there is nothing' : rest}`;
}

interface ProposalsProps {
  rows: CampaignCase[];
  chosen: string;
  open: (id: string) => void;
}

function Proposals({ rows, chosen, open }: ProposalsProps) {
  const step = walk(
    rows.map((row) => `case-${row.case}`),
    `case-${chosen}`,
    (id) => open(id.slice('case-'.length)),
  );
  return (
    <>
      <h2>Proposed</h2>
      <Table name="Proposed campaigns" heads={[['Campaign'], ['Takes at most', 'right'], ['Proposed by'], ['Until']]}>
        {rows.map((row) => {
          const own = String(row.case);
          return (
            <tr key={own} data-chosen={own === chosen} onClick={() => open(own)} onKeyDown={step}>
              <td>
                <button type="button" id={`row-case-${own}`} className={css.row} aria-pressed={own === chosen}>
                  {row.terms?.name ?? `Case ${own}`}
                </button>
              </td>
              <td className={css.right}>
                {row.terms && `${row.terms.coupons} × ${row.terms.value} ${row.terms.asset}`}
              </td>
              <td>{row.proposed_by}</td>
              <td>{time(row.expires_ms)}</td>
            </tr>
          );
        })}
      </Table>
    </>
  );
}

function List({ rows, chosen, open }: { rows: Campaign[]; chosen: string; open: (id: string) => void }) {
  const step = walk(
    rows.map((row) => String(row.campaign)),
    chosen,
    open,
  );
  if (rows.length === 0) {
    return (
      <Empty title="There was no campaign yet">
        One person proposes it, another approves it: then its money is set apart.
      </Empty>
    );
  }
  return (
    <Table
      name="Campaigns"
      heads={[
        ['Campaign'],
        ['State'],
        ['Coupon', 'right'],
        ['Out', 'right'],
        ['Used', 'right'],
        ['Locked', 'right'],
        ['Ends'],
      ]}
    >
      {rows.map((row) => {
        const own = String(row.campaign);
        return (
          <tr key={own} data-chosen={own === chosen} onClick={() => open(own)} onKeyDown={step}>
            <td>
              <RowButton id={own} isChosen={own === chosen} label={`${row.name}: campaign ${own}`}>
                {row.name}
              </RowButton>
            </td>
            <td>
              <Badge tone={STATES[row.state]}>{row.state}</Badge>
            </td>
            <td className={css.right}>
              {row.value} {row.asset}
            </td>
            <td className={css.right}>
              {row.out} of {row.coupons}
            </td>
            <td className={css.right}>{row.used}</td>
            <td className={css.right}>{row.locked}</td>
            <td>{time(row.ends_ms)}</td>
          </tr>
        );
      })}
    </Table>
  );
}

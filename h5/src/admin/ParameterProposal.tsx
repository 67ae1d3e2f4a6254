/** A change of parameters: what it changes, what it would have done, the decision of another person, taking it back. */
import { useQuery } from '@tanstack/react-query';
import css from './admin.module.css';
import { get, useSession } from './api';
import { CaseParts } from './CaseParts';
import { time } from './format';
import { Order } from './Order';
import { Differences, PreviewParts } from './ParameterPreview';
import { StateOfChange } from './ParametersWaiting';
import { DetailHead, Facts, Part, Trouble, Waiting } from './Parts';
import { effect, waits } from './parameterTexts';
import type { ParameterCase, Preview } from './parameterTypes';

/** How the server tells that an approved change took effect at once. */
const IN_FORCE = 'in force';

interface Props {
  row: ParameterCase;
  me: string;
  /** With what there is to tell about it. */
  done: (said: string) => void;
}

export function ParameterProposal({ row, me, done }: Props) {
  const { may } = useSession();
  return (
    <>
      {row.terms && (
        <Part title="Change">
          <Facts
            rows={[
              ['State', <StateOfChange key="state" row={row} />],
              ['Takes effect', effect(row.terms.effective_ms)],
              ['Changes version', row.terms.version],
              ['Proposed', time(row.proposed_ms)],
              ...(row.state === 'proposed' ? ([['Ends by itself', time(row.expires_ms)]] as [string, string][]) : []),
            ]}
          />
          <Differences changes={row.terms.changes} />
        </Part>
      )}
      {row.terms && <PreviewOfCase of={row.case} />}
      <Decide row={row} me={me} done={done} />
      {waits(row) && may('ChangeParameters') && (
        <Order
          name="Take back"
          note="It does not take effect then. What is in force stays."
          path={`parameter-cases/${row.case}/take-back`}
          kind="no"
          done={() => done('It is taken back.')}
        />
      )}
    </>
  );
}

function Decide({ row, me, done }: Props) {
  return (
    <CaseParts
      row={row}
      me={me}
      needs="ChangeParameters"
      path={`parameter-cases/${row.case}/decide`}
      yes="Agree to the change"
      onlySees="Your role sees parameters and does not decide about them."
      mayAgree={row.terms !== null}
      done={(answer) => done(answer.done === IN_FORCE ? 'It is in force.' : '')}
    />
  );
}

/** What the change would have done; looked up when it is opened, and when somebody asks again. */
function PreviewOfCase({ of }: { of: number }) {
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['parameter-preview', of],
    queryFn: () => get<Preview>(`parameter-cases/${of}/preview`),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const again = () => void refetch();
  if (error && !data) return <Trouble error={error} again={again} />;
  if (isPending) return <Waiting />;
  return data && <PreviewParts preview={data} />;
}

interface UnreadableProps extends Omit<Props, 'done'> {
  close: () => void;
  done: () => void;
}

/** A change whose terms cannot be read: nobody can tell what it would do. */
export function Unreadable({ row, me, close, done }: UnreadableProps) {
  return (
    <aside className={css.detail} aria-label={`Change ${row.case}`}>
      <DetailHead title={`Change ${row.case}`} close={close}>
        <StateOfChange row={row} />
      </DetailHead>
      <p data-tone="bad">What it changes cannot be read. Refuse it, and have it proposed anew.</p>
      <ParameterProposal row={row} me={me} done={done} />
    </aside>
  );
}

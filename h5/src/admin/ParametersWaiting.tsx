/** Changes of parameters that are proposed, or approved before their effect date. */
import css from './admin.module.css';
import { CASE_TONES } from './CaseParts';
import { walk } from './desk';
import { time } from './format';
import { Badge, Table } from './Parts';
import { effect, fieldName, waits } from './parameterTexts';
import type { ParameterCase } from './parameterTypes';

interface Props {
  rows: ParameterCase[];
  chosen: string;
  open: (what: { id?: string; case: string }) => void;
}

export function ParametersWaiting({ rows, chosen, open }: Props) {
  const show = (own: string) => {
    const market = rows.find((row) => String(row.case) === own)?.terms?.market;
    open(market === undefined ? { case: own } : { id: String(market), case: own });
  };
  const step = walk(
    rows.map((row) => `case-${row.case}`),
    `case-${chosen}`,
    (id) => show(id.slice('case-'.length)),
  );
  return (
    <>
      <h2>Changes</h2>
      <Table name="Changes" heads={[['Market'], ['State'], ['What'], ['Takes effect'], ['Proposed by'], ['Until']]}>
        {rows.map((row) => {
          const own = String(row.case);
          return (
            <tr key={own} data-chosen={own === chosen} onClick={() => show(own)} onKeyDown={step}>
              <td>
                <button
                  type="button"
                  id={`row-case-${own}`}
                  className={css.row}
                  aria-pressed={own === chosen}
                  aria-label={`${row.terms?.symbol ?? `Case ${own}`}: ${row.terms ? `change ${own}` : 'cannot be read'}`}
                >
                  <b>{row.terms?.symbol ?? `Case ${own}`}</b>
                </button>
              </td>
              <td>
                <StateOfChange row={row} />
              </td>
              <td className={css.wrap}>{row.terms?.changes.map(({ field }) => fieldName(field)).join(', ')}</td>
              <td>{row.terms && effect(row.terms.effective_ms)}</td>
              <td>{row.proposed_by}</td>
              <td>{row.state === 'proposed' ? time(row.expires_ms) : '–'}</td>
            </tr>
          );
        })}
      </Table>
    </>
  );
}

export function StateOfChange({ row }: { row: ParameterCase }) {
  return waits(row) ? (
    <Badge tone="warn">{row.terms?.effective_ms === null ? 'approved, not in force yet' : 'waits for its date'}</Badge>
  ) : (
    <Badge tone={CASE_TONES[row.state]}>{row.state}</Badge>
  );
}

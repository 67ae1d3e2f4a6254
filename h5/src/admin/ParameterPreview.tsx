/** What a change of parameters would have done to orders of the last day. */

import { addText, compareText } from '@/lib/decimalText';
import css from './admin.module.css';
import { sum, time } from './format';
import { Facts, Part, Table } from './Parts';
import { fieldName, fieldValue } from './parameterTexts';
import type { Change, Preview } from './parameterTypes';

/** What was and what is to be, field by field. */
export function Differences({ changes }: { changes: Change[] }) {
  if (changes.length === 0) return <p className={css.dim}>Nothing is changed.</p>;
  return (
    <Table name="Differences" heads={[['Parameter'], ['Was', 'right'], ['Is', 'right']]}>
      {changes.map(({ field, was, is }) => (
        <tr key={field}>
          <td>{fieldName(field)}</td>
          <td className={css.right}>{fieldValue(field, was)}</td>
          <td className={css.right}>
            <strong>{fieldValue(field, is)}</strong>
          </td>
        </tr>
      ))}
    </Table>
  );
}

const whole = (count: number) => sum(String(count), 0);
const counted = (count: number, one: string) => `${whole(count)} ${one}${count === 1 ? '' : 's'}`;

export function PreviewParts({ preview }: { preview: Preview }) {
  const { orders, refused, reasons, quote } = preview;
  return (
    <>
      {preview.needs_empty_book && (
        <p className={css.notice} data-tone="warn">
          Tick and step change on an empty book only: set the market to cancel-only first, and wait until no order is
          left.
        </p>
      )}
      <Part title="Orders of the last day">
        {orders === 0 ? (
          <p className={css.dim}>Users placed no order since {time(preview.since_ms)}.</p>
        ) : (
          <Facts
            rows={[
              [
                'Orders that users placed',
                preview.is_all ? whole(orders) : `the newest ${whole(orders)}, not all of them`,
              ],
              ['Since', time(preview.since_ms)],
              [
                'Would have been refused',
                <span key="refused" data-tone={refused === 0 ? 'good' : 'bad'}>
                  {refused === 0 ? 'none' : `${whole(refused)}, of ${counted(preview.refused_accounts, 'account')}`}
                </span>,
              ],
              ['Fills', whole(preview.fills)],
              ['Value of fills', `${sum(preview.value, 8)} ${quote}`],
              ['Fees before', `${sum(preview.fees_was, 8)} ${quote}`],
              ['Fees after', `${sum(preview.fees_is, 8)} ${quote}`],
              ['Difference', `${difference(preview)} ${quote}`],
            ]}
          />
        )}
        {reasons.length > 0 && (
          <Table name="Why orders would have been refused" heads={[['Refused because'], ['Orders', 'right']]}>
            {reasons.map((one) => (
              <tr key={one.reason}>
                <td className={css.wrap}>{one.reason}</td>
                <td className={css.right}>{whole(one.orders)}</td>
              </tr>
            ))}
          </Table>
        )}
      </Part>
    </>
  );
}

/** Of fees after and before, with its sign. */
function difference({ fees_was, fees_is }: Preview): string {
  const text = sum(addText(fees_is, `-${fees_was}`), 8);
  return compareText(fees_is, fees_was) > 0 ? `+${text}` : text;
}

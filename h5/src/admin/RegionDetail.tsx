/** One country: what is barred there, and what is proposed about it. */
import css from './admin.module.css';
import { useSession } from './api';
import { CaseParts } from './CaseParts';
import { time } from './format';
import { Badge, DetailHead, Facts } from './Parts';
import own from './regions.module.css';
import { countryText, productName, productsText, readSubject } from './regionTexts';
import type { Case, RegionRule, Regions } from './types';

interface Props {
  rule: RegionRule;
  told: Regions;
  /** The open proposal that is looked at, of those about this country. */
  row: Case | undefined;
  /** All of these. */
  rows: readonly Case[];
  choose: (proposal: string) => void;
  act: (act: 'bar' | 'allow') => void;
  close: () => void;
  done: () => void;
}

export function RegionDetail({ rule, told, row, rows, choose, act, close, done }: Props) {
  const { may } = useSession();
  const title = countryText(rule.country);
  const isAllBarred = told.products.every((one) => rule.barred.includes(one));
  return (
    <aside className={css.detail} aria-label={title}>
      <DetailHead title={title} close={close} />
      <Facts
        rows={told.products.map((one) => [
          productName(one),
          rule.barred.includes(one) ? (
            <Badge key={one} tone="bad">
              barred
            </Badge>
          ) : (
            'offered'
          ),
        ])}
      />
      <div className={css.order}>
        {may('BarProducts') && !isAllBarred && (
          <button type="button" data-kind="no" onClick={() => act('bar')}>
            Bar products…
          </button>
        )}
        {may('AllowProducts') && rule.barred.length > 0 && (
          <button type="button" data-kind="yes" onClick={() => act('allow')}>
            Propose to allow again…
          </button>
        )}
      </div>
      {rows.length > 1 && (
        <div className={css.order}>
          <select aria-label="Proposal" value={row?.case} onChange={({ target }) => choose(target.value)}>
            {rows.map((one) => (
              <option key={one.case} value={one.case}>
                {`Proposal ${one.case}: ${productsText(readSubject(one.subject)?.products ?? [])}`}
              </option>
            ))}
          </select>
        </div>
      )}
      {row && (
        <div key={row.case} className={own.proposal}>
          <h3>{`To allow ${productsText(readSubject(row.subject)?.products ?? [])} again`}</h3>
          <p className={css.dim}>{`It ends by itself on ${time(row.expires_ms)}.`}</p>
          <CaseParts
            row={row}
            me={told.me}
            needs="AllowProducts"
            path={`region-cases/${row.case}/decide`}
            yes="Agree and allow"
            onlySees="Your role sees what is barred and does not decide about it."
            done={done}
          />
        </div>
      )}
    </aside>
  );
}

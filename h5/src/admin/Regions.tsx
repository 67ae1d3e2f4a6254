/** Countries: which products are barred there, what is proposed to be allowed again, and beside it the one that is looked at. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import css from './admin.module.css';
import { get, useSession } from './api';
import { CASE_TONES, Past } from './CaseParts';
import { useAddress, walk } from './desk';
import { time } from './format';
import { Badge, Empty, Head, RowButton, Search, Table, Trouble, Waiting } from './Parts';
import { RegionDetail } from './RegionDetail';
import { RegionDialog } from './RegionDialog';
import {
  countryName,
  countryOf,
  countryText,
  isFound,
  keyOf,
  productName,
  productsText,
  readSubject,
  subjectText,
} from './regionTexts';
import type { Case, RegionRule, Regions as Told } from './types';

const EVERY_MS = 5_000;

/** What is written, and in which country; undefined: it is chosen first. */
interface Writing {
  act: 'bar' | 'allow';
  country: string | undefined;
}

const isAbout = (country: string) => (row: Case) => readSubject(row.subject)?.country === country;

function fits(rule: RegionRule, text: string, product: string): boolean {
  return isFound(rule.country, text) && (product === '' || rule.barred.includes(product));
}

export function Regions() {
  const { of, set, setAll } = useAddress();
  const { may } = useSession();
  const [writing, setWriting] = useState<Writing | null>(null);
  const [id, text, product, proposal] = [of('id'), of('q'), of('product'), of('case')];
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['regions'],
    queryFn: () => get<Told>('regions'),
    refetchInterval: EVERY_MS,
    placeholderData: keepPreviousData,
  });
  const again = () => void refetch();
  const open = (what: { id?: string; case?: string }) => setAll({ id: '', case: '', ...what });
  const all = data?.regions.toSorted(byName) ?? [];
  const rows = all.filter((rule) => fits(rule, text, product));
  const waiting = data?.cases.filter(({ state }) => state === 'proposed') ?? [];
  const country = id === '' ? undefined : countryOf(id);
  const rule =
    country === undefined ? undefined : (all.find((one) => one.country === country) ?? { country, barred: [] });
  const about = rule ? waiting.filter(isAbout(rule.country)) : [];
  return (
    <>
      <Head title="Regions" note={data && note(all.length, waiting.length)}>
        <select aria-label="Product" value={product} onChange={({ target }) => set('product', target.value)}>
          <option value="">All products</option>
          {data?.products.map((one) => (
            <option key={one} value={one}>
              {productName(one)}
            </option>
          ))}
        </select>
        <Search name="countries" by="Country" text={text} change={(next) => set('q', next)} />
        {may('BarProducts') && data && (
          <button type="button" data-kind="no" onClick={() => setWriting({ act: 'bar', country: undefined })}>
            Bar products…
          </button>
        )}
      </Head>
      {error && <Trouble error={error} again={again} />}
      <div className={css.split} data-open={data !== undefined && rule !== undefined}>
        <div className={css.card}>
          {isPending && !error && <Waiting />}
          {waiting.length > 0 && <Proposals rows={waiting} chosen={proposal} open={open} />}
          {data && all.length === 0 && (
            <Empty title="Everything is offered everywhere">
              Where a product may not be offered, one person bars it at once.
            </Empty>
          )}
          {all.length > 0 && rows.length === 0 && <Empty title="None fits these filters" />}
          {data && rows.length > 0 && (
            <List rows={rows} products={data.products} chosen={id} open={(own) => open({ id: own })} />
          )}
        </div>
        {data && rule && (
          <RegionDetail
            key={id}
            rule={rule}
            told={data}
            row={about.find((one) => String(one.case) === proposal) ?? about[0]}
            rows={about}
            choose={(own) => set('case', own)}
            act={(act) => setWriting({ act, country: rule.country })}
            close={() => open({})}
            done={again}
          />
        )}
      </div>
      {data && (
        <Past
          cases={data.cases
            .filter(({ state }) => state !== 'proposed')
            .map((one) => ({ ...one, subject: subjectText(one.subject) }))}
        />
      )}
      {data && writing && (
        <RegionDialog
          {...writing}
          rules={data.regions}
          products={data.products}
          close={() => setWriting(null)}
          done={(own, made) => {
            setWriting(null);
            open({ id: keyOf(own), ...(made !== undefined && { case: String(made) }) });
            again();
          }}
        />
      )}
    </>
  );
}

/** Accounts without a country first. */
const byName = (one: RegionRule, other: RegionRule): number =>
  Number(other.country === '') - Number(one.country === '') ||
  countryName(one.country).localeCompare(countryName(other.country), 'en');

function note(rules: number, proposed: number): string {
  const ruled = rules === 0 ? 'nothing is barred' : `${rules} with barred products`;
  return `${ruled}, ${proposed === 0 ? 'no proposal' : `${proposed} proposed`}`;
}

interface ListProps {
  rows: RegionRule[];
  products: string[];
  chosen: string;
  open: (key: string) => void;
}

function List({ rows, products, chosen, open }: ListProps) {
  const step = walk(
    rows.map(({ country }) => keyOf(country)),
    chosen,
    open,
  );
  return (
    <Table name="Countries" heads={[['Country'], ['Letters'], ...products.map((one): [string] => [productName(one)])]}>
      {rows.map(({ country, barred }) => {
        const own = keyOf(country);
        return (
          <tr key={own} data-chosen={own === chosen} onClick={() => open(own)} onKeyDown={step}>
            <td>
              <RowButton id={own} isChosen={own === chosen} label={`${countryText(country)}: rule`}>
                <b>{countryName(country)}</b>
              </RowButton>
            </td>
            <td>{country === '' ? '–' : country}</td>
            {products.map((one) => (
              <td key={one}>
                {barred.includes(one) ? <Badge tone="bad">barred</Badge> : <span className={css.dim}>offered</span>}
              </td>
            ))}
          </tr>
        );
      })}
    </Table>
  );
}

interface ProposalsProps {
  rows: Case[];
  chosen: string;
  open: (what: { id?: string; case: string }) => void;
}

/** What waits for a second person. */
function Proposals({ rows, chosen, open }: ProposalsProps) {
  const show = (own: string) => {
    const about = readSubject(rows.find((row) => String(row.case) === own)?.subject ?? '');
    open({ case: own, ...(about && { id: keyOf(about.country) }) });
  };
  const step = walk(
    rows.map((row) => `case-${row.case}`),
    `case-${chosen}`,
    (own) => show(own.slice('case-'.length)),
  );
  return (
    <>
      <h2>Proposals to allow again</h2>
      <Table name="Proposals" heads={[['Country'], ['State'], ['Products'], ['Proposed by'], ['Until']]}>
        {rows.map((row) => {
          const own = String(row.case);
          const about = readSubject(row.subject);
          const name = about ? countryText(about.country) : row.subject;
          return (
            <tr key={own} data-chosen={own === chosen} onClick={() => show(own)} onKeyDown={step}>
              <td>
                <RowButton id={`case-${own}`} isChosen={own === chosen} label={`${name}: proposal ${own}`}>
                  <b>{name}</b>
                </RowButton>
              </td>
              <td>
                <Badge tone={CASE_TONES[row.state]}>{row.state}</Badge>
              </td>
              <td className={css.wrap}>{about && productsText(about.products)}</td>
              <td>{row.proposed_by}</td>
              <td>{time(row.expires_ms)}</td>
            </tr>
          );
        })}
      </Table>
    </>
  );
}

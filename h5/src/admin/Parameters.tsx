/** Parameters of markets: what each one has, what is proposed and what waits, and beside it the one that is looked at. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import css from './admin.module.css';
import { get, useSession } from './api';
import { Past } from './CaseParts';
import { useAddress, walk } from './desk';
import { sum } from './format';
import { ParameterDetail } from './ParameterDetail';
import { ParameterEditor } from './ParameterEditor';
import { Unreadable } from './ParameterProposal';
import { ParametersWaiting } from './ParametersWaiting';
import { Empty, Head, RowButton, Search, Table, Trouble, Waiting } from './Parts';
import { isOpen, percentText, waits } from './parameterTexts';
import type { MarketParameters, Parameters as Told } from './parameterTypes';

const EVERY_MS = 5_000;

export function Parameters() {
  const { of, set, setAll } = useAddress();
  const { may } = useSession();
  const [id, text, kind, proposal, write] = [of('id'), of('q'), of('kind'), of('case'), of('write')];
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['parameters'],
    queryFn: () => get<Told>('parameters'),
    refetchInterval: EVERY_MS,
    placeholderData: keepPreviousData,
  });
  const again = () => void refetch();
  const open = (what: { id?: string; case?: string; write?: string }) =>
    setAll({ id: '', case: '', write: '', ...what });
  const close = () => open({});
  const rows =
    data?.markets.filter(
      (one) => one.symbol.includes(text.trim().toUpperCase()) && (kind === '' || one.kind === kind),
    ) ?? [];
  const waiting = data?.cases.filter(isOpen) ?? [];
  const market = data?.markets.find((one) => String(one.id) === id);
  const isWriting = write !== '' && may('ChangeParameters');
  const unreadable = waiting.find((one) => one.terms === null && String(one.case) === proposal);
  return (
    <>
      <Head title="Parameters" note={data && note(data)}>
        <select aria-label="Kind" value={kind} onChange={({ target }) => set('kind', target.value)}>
          <option value="">Spot and stocks</option>
          <option value="spot">Spot</option>
          <option value="stock">Stocks</option>
        </select>
        <Search name="markets" by="Symbol" text={text} change={(next) => set('q', next)} />
      </Head>
      {error && <Trouble error={error} again={again} />}
      <div className={css.split} data-open={market !== undefined || unreadable !== undefined} data-wide="true">
        <div className={css.card}>
          {isPending && !error && <Waiting />}
          {waiting.length > 0 && <ParametersWaiting rows={waiting} chosen={proposal} open={open} />}
          {data && rows.length === 0 && <Empty title="None fits these filters" />}
          {rows.length > 0 && <List rows={rows} chosen={id} open={(own) => open({ id: own })} />}
        </div>
        {data && market && !isWriting && (
          <ParameterDetail
            key={id}
            market={market}
            rows={waiting.filter(({ terms }) => terms?.market === market.id)}
            chosen={proposal}
            me={data.me}
            change={() => open({ id, write: 'new' })}
            close={close}
            done={again}
          />
        )}
        {data && market && isWriting && (
          <ParameterEditor
            key={id}
            market={market}
            nowMs={data.now_ms}
            close={() => open({ id })}
            done={(own) => {
              open({ id, case: String(own) });
              again();
            }}
          />
        )}
        {data && unreadable && <Unreadable key={proposal} row={unreadable} me={data.me} close={close} done={again} />}
      </div>
      {data && (
        <Past
          cases={data.cases
            .filter((one) => !isOpen(one))
            .map((one) => ({ ...one, subject: one.terms?.symbol ?? `case ${one.case}` }))}
        />
      )}
    </>
  );
}

function note({ markets, cases }: Told): string {
  const [proposed, waiting] = [cases.filter(({ state }) => state === 'proposed').length, cases.filter(waits).length];
  return `${markets.length} markets; ${proposed === 0 ? 'no change' : proposed} proposed, ${waiting === 0 ? 'none' : waiting} before its effect date`;
}

interface ListProps {
  rows: MarketParameters[];
  chosen: string;
  open: (id: string) => void;
}

function List({ rows, chosen, open }: ListProps) {
  const step = walk(
    rows.map((one) => String(one.id)),
    chosen,
    open,
  );
  return (
    <Table
      name="Parameters"
      heads={[
        ['Market'],
        ['Kind'],
        ['Tick', 'right'],
        ['Step', 'right'],
        ['Smallest', 'right'],
        ['Largest', 'right'],
        ['Smallest notional', 'right'],
        ['Price band', 'right'],
        ['Protection', 'right'],
        ['Open orders', 'right'],
        ['Maker / taker', 'right'],
        ['Version', 'right'],
      ]}
    >
      {rows.map((one) => {
        const [own, { params }] = [String(one.id), one];
        const [fees] = params.fees;
        return (
          <tr key={own} data-chosen={own === chosen} onClick={() => open(own)} onKeyDown={step}>
            <td>
              <RowButton id={own} isChosen={own === chosen} label={`${one.symbol}: ${one.kind}`}>
                <b>{one.symbol}</b>
              </RowButton>
            </td>
            <td>{one.kind}</td>
            <td className={css.right}>{params.tick}</td>
            <td className={css.right}>{params.step}</td>
            <td className={css.right}>{sum(params.min_quantity, 8)}</td>
            <td className={css.right}>{sum(params.max_quantity, 8)}</td>
            <td className={css.right}>{`${sum(params.min_notional, 8)} ${one.quote}`}</td>
            <td className={css.right}>{percentText(params.band_ppm)}</td>
            <td className={css.right}>{percentText(params.protection_ppm)}</td>
            <td className={css.right}>{params.max_open_orders}</td>
            <td className={css.right}>
              {fees ? `${percentText(fees.maker_ppm)} / ${percentText(fees.taker_ppm)}` : '–'}
            </td>
            <td className={css.right}>{one.version}</td>
          </tr>
        );
      })}
    </Table>
  );
}

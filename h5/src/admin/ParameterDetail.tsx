/** One market's parameters: all of them, and the change of them that is proposed or waits. */
import { useState } from 'react';
import css from './admin.module.css';
import { useSession } from './api';
import { MarketState } from './MarketState';
import { ParameterProposal } from './ParameterProposal';
import { DetailHead, Facts, Part, Table } from './Parts';
import { facts, percentText } from './parameterTexts';
import type { LevelFees, MarketParameters, ParameterCase } from './parameterTypes';

interface Props {
  market: MarketParameters;
  /** Changes of this market that are open. */
  rows: ParameterCase[];
  /** The one of them that is looked at; empty: the first. */
  chosen: string;
  me: string;
  change: () => void;
  close: () => void;
  done: () => void;
}

export function ParameterDetail({ market, rows, chosen, me, change, close, done }: Props) {
  const { may } = useSession();
  const [said, setSaid] = useState('');
  const title = `${market.symbol}, ${market.kind}`;
  const row = rows.find((one) => String(one.case) === chosen) ?? rows[0];
  return (
    <aside className={css.detail} aria-label={title}>
      <DetailHead title={title} close={close}>
        <MarketState state={market.state} />
        {may('ChangeParameters') && !row && (
          <button type="button" onClick={change}>
            Change
          </button>
        )}
      </DetailHead>
      <p role="status">{said}</p>
      {row && (
        <ParameterProposal
          key={row.case}
          row={row}
          me={me}
          done={(answer) => {
            setSaid(answer);
            done();
          }}
        />
      )}
      <Part title="In force">
        <Facts rows={facts(market)} />
      </Part>
      <Part title="Fees by VIP level">
        <Fees fees={market.params.fees} />
      </Part>
    </aside>
  );
}

function Fees({ fees }: { fees: LevelFees[] }) {
  const levels = fees.map((one, level) => ({ ...one, level }));
  return (
    <Table name="Fees" heads={[['VIP level'], ['Maker', 'right'], ['Taker', 'right']]}>
      {levels.map(({ level, maker_ppm, taker_ppm }) => (
        <tr key={level}>
          <td>{level === fees.length - 1 ? `${level} and above` : level}</td>
          <td className={css.right}>{percentText(maker_ppm)}</td>
          <td className={css.right}>{percentText(taker_ppm)}</td>
        </tr>
      ))}
    </Table>
  );
}

/** Fees by VIP level, as they are entered. */
import css from './admin.module.css';
import { Part } from './Parts';
import type { LevelDraft } from './parameterDraft';
import { ppmOf } from './ppm';

/** VIP levels with fees of their own. */
const MOST_LEVELS = 10;

interface Props {
  rows: LevelDraft[];
  change: (rows: LevelDraft[]) => void;
}

export function ParameterFees({ rows, change }: Props) {
  const last = rows.at(-1);
  const put = (level: number, part: Partial<LevelDraft>) =>
    change(rows.map((one) => (one.level === level ? { ...one, ...part } : one)));
  return (
    <Part title="Fees by VIP level, percent; levels above the last have its fees">
      <div className={css.fees}>
        {rows.map((row) => (
          <div key={row.level}>
            <span>VIP {row.level}</span>
            {(['maker', 'taker'] as const).map((side) => (
              <label key={side}>
                {side === 'maker' ? 'Maker' : 'Taker'}
                <input
                  aria-label={`VIP ${row.level} ${side} fee in percent`}
                  autoComplete="off"
                  inputMode="decimal"
                  maxLength={8}
                  aria-invalid={ppmOf(row[side]) === null}
                  value={row[side]}
                  onChange={({ target }) => put(row.level, { [side]: target.value.trim() })}
                />
              </label>
            ))}
          </div>
        ))}
      </div>
      <div className={css.buttons}>
        <button
          type="button"
          className={css.quiet}
          disabled={rows.length >= MOST_LEVELS}
          onClick={() => change([...rows, { maker: '', taker: '', ...last, level: rows.length }])}
        >
          Add VIP {rows.length}
        </button>
        {last && rows.length > 1 && (
          <button type="button" className={css.quiet} onClick={() => change(rows.slice(0, -1))}>
            Remove VIP {last.level}
          </button>
        )}
      </div>
    </Part>
  );
}

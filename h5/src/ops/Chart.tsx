/** A line over the last two minutes: no axes, the newest value beside it says how much. */
import { POINTS } from './model';
import css from './ops.module.css';

const W = 240;
const H = 56;

interface Line {
  points: (number | null)[];
  tone?: 'base' | 'up' | 'warn';
}

function paths(points: (number | null)[], most: number): { line: string; area: string } {
  const step = W / (POINTS - 1);
  const from = POINTS - points.length;
  let [line, area, begun] = ['', '', -1];
  let lastX = 0;
  points.forEach((value, n) => {
    if (value === null) {
      if (begun >= 0) area += `L${lastX} ${H}Z`;
      begun = -1;
      return;
    }
    const [x, y] = [(from + n) * step, H - 2 - (value / most) * (H - 6)].map((at) => Math.round(at * 10) / 10);
    line += `${begun < 0 ? 'M' : 'L'}${x} ${y}`;
    area += begun < 0 ? `M${x} ${H}L${x} ${y}` : `L${x} ${y}`;
    if (begun < 0) begun = n;
    lastX = x ?? 0;
  });
  return { line, area: begun >= 0 ? `${area}L${lastX} ${H}Z` : area };
}

export function Chart({ label, lines }: { label: string; lines: Line[] }) {
  const values = lines.flatMap(({ points }) => points).filter((value) => value !== null);
  const most = Math.max(...values, 1e-9);
  return (
    <svg className={css.chart} viewBox={`0 0 ${W} ${H}`} preserveAspectRatio="none" role="img" aria-label={label}>
      <path className={css.grid} d={`M0 ${H - 2}H${W}M0 ${H / 2}H${W}`} />
      {lines.map(({ points, tone = 'base' }) => {
        const { line, area } = paths(points, most);
        return (
          <g key={tone} data-tone={tone}>
            <path className={css.area} d={area} />
            <path className={css.line} d={line} />
          </g>
        );
      })}
    </svg>
  );
}

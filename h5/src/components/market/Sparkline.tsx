import { memo } from 'react';

interface Props {
  values: readonly number[];
  width?: number;
  height?: number;
}

/** Finer than a pixel, shorter than a double. */
const tenths = (at: number): number => Math.round(at * 10) / 10;

/** The shape of a price over time, in the colour of where it went; decoration beside the figures. */
export const Sparkline = memo(function Sparkline({ values, width = 96, height = 32 }: Props) {
  const [first, last] = [values[0], values.at(-1)];
  if (first === undefined || last === undefined || values.length < 2)
    return <svg width={width} height={height} aria-hidden="true" />;
  const low = Math.min(...values);
  const span = Math.max(...values) - low || 1;
  const points = values.map((value, index) => {
    const x = (index / (values.length - 1)) * width;
    const y = height - 2 - ((value - low) / span) * (height - 4);
    return `${tenths(x)},${tenths(y)}`;
  });
  const colour = last >= first ? 'var(--up)' : 'var(--down)';
  return (
    <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      <polygon points={`0,${height} ${points.join(' ')} ${width},${height}`} fill={colour} fillOpacity="0.1" />
      <polyline
        points={points.join(' ')}
        fill="none"
        stroke={colour}
        strokeWidth="1.5"
        strokeLinejoin="round"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
});

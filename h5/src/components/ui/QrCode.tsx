import { useMemo } from 'react';
import { codeOf } from '@/lib/qr';

export interface CodeProps {
  text: string;
  label: string;
}

/** A code that a wallet's camera reads: dark on light, whatever is around it. */
export default function QrCode({ text, label }: CodeProps) {
  const { size, path } = useMemo(() => codeOf(text), [text]);
  return (
    <svg viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shapeRendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#0f1012" />
    </svg>
  );
}

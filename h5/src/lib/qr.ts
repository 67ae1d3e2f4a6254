/** A QR code as the shape of its dark squares. Pure. */
import { encode } from 'uqr';

export interface Code {
  /** Squares a side, the light border included. */
  size: number;
  /** For an SVG path or a canvas, one unit a square. */
  path: string;
}

/** Readers need as much light around a code. */
const BORDER = 4;

export function codeOf(text: string): Code {
  const { size, data } = encode(text, { ecc: 'M', border: BORDER });
  let path = '';
  data.forEach((row, y) => {
    for (let x = 0; x < size; x += 1) {
      if (!row[x]) continue;
      const from = x;
      while (row[x + 1]) x += 1;
      path += `M${from} ${y}h${x - from + 1}v1h${from - x - 1}z`;
    }
  });
  return { size, path };
}

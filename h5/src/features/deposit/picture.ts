/** The picture of an address that is saved or shared: its code, its coin and network, and the address as a text. */
import { codeOf } from '@/lib/qr';

interface Contents {
  title: string;
  /** What must be known of it, below the title. */
  note: string;
  address: string;
}

const WIDTH = 720;
const HEIGHT = 940;
const CODE = 560;
const LETTERS_A_LINE = 32;

export async function pictureOf({ title, note, address }: Contents): Promise<File> {
  const code = codeOf(address);
  const canvas = document.createElement('canvas');
  canvas.width = WIDTH;
  canvas.height = HEIGHT;
  const paint = canvas.getContext('2d');
  if (!paint) throw new Error('no canvas');
  paint.fillStyle = '#fff';
  paint.fillRect(0, 0, WIDTH, HEIGHT);
  paint.fillStyle = '#0f1012';
  paint.textAlign = 'center';
  const write = (text: string, y: number, font: string) => {
    paint.font = font;
    paint.fillText(text, WIDTH / 2, y, WIDTH - 60);
  };
  write(title, 84, '600 40px sans-serif');
  write(note, 136, '26px sans-serif');
  paint.save();
  paint.translate((WIDTH - CODE) / 2, 170);
  paint.scale(CODE / code.size, CODE / code.size);
  paint.fill(new Path2D(code.path));
  paint.restore();
  for (let line = 0; line * LETTERS_A_LINE < address.length; line += 1) {
    const part = address.slice(line * LETTERS_A_LINE, (line + 1) * LETTERS_A_LINE);
    write(part, 800 + line * 44, '30px monospace');
  }
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (!blob) throw new Error('no picture');
  return new File([blob], `${title.replace(/[^\w-]+/g, '-')}.png`, { type: 'image/png' });
}

export function save(file: File): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = file.name;
  link.click();
  // The download has taken it up by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** With the picture where files can be shared, else the address alone; whoever closes the choice has not failed. */
export async function share(file: File, address: string): Promise<void> {
  const whole = { files: [file], text: address };
  try {
    await navigator.share(navigator.canShare?.(whole) ? whole : { text: address });
  } catch (cause) {
    if (!(cause instanceof DOMException && cause.name === 'AbortError')) throw cause;
  }
}

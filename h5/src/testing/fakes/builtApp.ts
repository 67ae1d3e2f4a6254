/** The built app's files, as a server hands them out: with their types, and with the real server's content policy. */
import { readFile } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
};

/** No inline script, no inline style element: what the app must live with. */
export const POLICY =
  "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self' ws: wss:; " +
  "worker-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'";

export interface BuiltFile {
  type: string;
  body: Buffer;
}

/** The file behind a path such as `/h5/assets/…`; undefined if the build has none. */
export async function builtFile(folder: string, pathname: string): Promise<BuiltFile | undefined> {
  const relative = normalize(pathname.replace(/^\/h5\/?/, '')).replace(/^(\.\.(\/|$))+/, '');
  const file = relative === '' || relative === '.' ? 'index.html' : relative;
  try {
    return { type: TYPES[extname(file)] ?? 'application/octet-stream', body: await readFile(join(folder, file)) };
  } catch {
    return undefined;
  }
}

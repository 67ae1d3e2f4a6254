/** The types and parsers of calls are those of the server's document: `npm run schema` makes them anew. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FOLDER, filesOf, readDocument } from '../../scripts/schema.ts';

const formatted = (name: string, text: string) =>
  execFileSync('node_modules/.bin/biome', ['check', '--write', `--stdin-file-path=src/lib/api/schema/${name}`], {
    input: text,
    encoding: 'utf8',
  });

/** As many lines as any file may have. */
const MOST_LINES = 800;

test('the files are made from the document as it is', () => {
  const files = filesOf(readDocument());
  expect([...files.keys()].sort()).toEqual(readdirSync(FOLDER).filter((name) => name.endsWith('.ts')));
  for (const [name, text] of files) {
    const kept = readFileSync(join(FOLDER, name), 'utf8');
    expect(kept).toBe(formatted(name, text));
    expect(kept.split('\n').length, name).toBeLessThanOrEqual(MOST_LINES);
  }
});

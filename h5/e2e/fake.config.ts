/**
 * The app in a real browser against a fake server: `npx vitest run --config e2e/fake.config.ts`, with words of file names for
 * some of it; STREAM_LONG=1 for the long runs of streams.
 */
import { browserTests } from './config.ts';

export default browserTests('e2e/pages*.test.ts', 'e2e/{stream,trade}*.test.ts');

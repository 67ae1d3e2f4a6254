/** The trading pages in a real browser: `npx vitest run --config e2e/trade.config.ts`; STREAM_LONG=1 for the long runs. */
import { browserTests } from './config.ts';

export default browserTests('e2e/{stream,trade}*.test.ts');

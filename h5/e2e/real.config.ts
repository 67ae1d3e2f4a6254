/** The app against the real exchange: `npm run e2e:real`; EXCHANGE_BIN names the binary. */
import { browserTests } from './config.ts';

// The run through six crashes failed once in seven for a reason that is not found yet; a second try tells a crash from
// that.
export default browserTests('e2e/real*.test.ts', 1);

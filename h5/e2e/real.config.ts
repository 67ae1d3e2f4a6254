/** The app against the real exchange: `npm run e2e:real`; EXCHANGE_BIN names the binary. */
import { browserTests } from './config.ts';

export default browserTests('e2e/real*.test.ts');

/** The pages in a real browser: `npx vitest run --config e2e/pages.config.ts`. */
import { browserTests } from './config.ts';

export default browserTests('e2e/pages*.test.ts');

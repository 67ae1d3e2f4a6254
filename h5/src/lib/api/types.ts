/** Shapes of the server's answers that more than one feature reads. */
import type { Quote } from './schema/indexCalls';

export type { SiteConfig } from './schema/commonCalls';
export type { Article, NewsRow, Quote, QuoteGroup } from './schema/indexCalls';
export type { UserInfo } from './schema/userCalls';
export type { Dec } from './shape';

export type PriceSource = Quote['source'];

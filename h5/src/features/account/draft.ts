/** What was typed before the page for the country code was opened: it is still there on the way back. */
import type { ForgetForm } from './schemas';

type Draft = Partial<Pick<ForgetForm, 'kind' | 'account'>> & { invite?: string };

const drafts = new Map<string, Draft>();

export const readDraft = (page: string): Draft => drafts.get(page) ?? {};
export const keepDraft = (page: string, draft: Draft): void => {
  drafts.set(page, draft);
};
export const dropDraft = (page: string): void => {
  drafts.delete(page);
};

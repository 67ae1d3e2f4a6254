/** What was typed before the page for the country code was opened: it is still there on the way back. */
import { appStore, viewAtom } from '@/lib/state';
import type { ForgetForm } from './schemas';

type Draft = Partial<Pick<ForgetForm, 'kind' | 'account'>> & { invite?: string };

type Page = 'register' | 'forget';

const draftsAtom = viewAtom<Partial<Record<Page, Draft>>>({});

export const readDraft = (page: Page): Draft => appStore.get(draftsAtom)[page] ?? {};
export const keepDraft = (page: Page, draft: Draft): void =>
  appStore.set(draftsAtom, (drafts) => ({ ...drafts, [page]: draft }));
export const dropDraft = (page: Page): void => keepDraft(page, {});

/** What was typed before the page for the country code was opened: it is still there on the way back. */
import { useEffect } from 'react';
import { appStore, areaCodeAtom, useAtomValue, viewAtom } from '@/lib/state';
import type { ForgetForm } from './schemas';

type Draft = Partial<Pick<ForgetForm, 'kind' | 'account'>> & { invite?: string };

type Page = 'register' | 'forget';

const draftsAtom = viewAtom<Partial<Record<Page, Draft>>>({});

export const readDraft = (page: Page): Draft => appStore.get(draftsAtom)[page] ?? {};
const keepDraft = (page: Page, draft: Draft): void =>
  appStore.set(draftsAtom, (drafts) => ({ ...drafts, [page]: draft }));
export const dropDraft = (page: Page): void => keepDraft(page, {});

/** What a form about an identity starts with. */
export function useIdentityDefaults(page: Page): ForgetForm {
  const areaCode = useAtomValue(areaCodeAtom);
  const { kind = 'email', account = '' } = readDraft(page);
  return { kind, areaCode, account, code: '', password: '', repeat: '' };
}

/** Keeps what was typed when the page is left; never a password or a code. */
export function useKeptDraft(page: Page, values: () => Draft): void {
  useEffect(
    () => () => {
      const { kind, account, invite } = values();
      keepDraft(page, { kind, account, invite });
    },
    [page, values],
  );
}

import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';

/** A form's message key -> the text, or nothing. */
export function useProblem(): (error: { message?: string } | undefined) => string | undefined {
  const { i18n } = useTranslation();
  return useCallback((error) => (error?.message ? i18n.t(`account:${error.message}` as never) : undefined), [i18n]);
}

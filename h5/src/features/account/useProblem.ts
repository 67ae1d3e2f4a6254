import { useCallback } from 'react';
import type { FieldValues, Path, UseFormSetError } from 'react-hook-form';
import { useTranslation } from 'react-i18next';

/** A refusal in the server's own words, among errors whose message is a key. */
const SERVER = 'server';

/** A form's error -> the text, or nothing. */
export function useProblem(): (error: { type?: string; message?: string } | undefined) => string | undefined {
  const { i18n } = useTranslation();
  return useCallback(
    (error) => {
      if (!error?.message) return undefined;
      return error.type === SERVER ? error.message : i18n.t(`account:${error.message}` as never);
    },
    [i18n],
  );
}

/** Tells a refusal under the field that it is about. */
export function tellAt<F extends FieldValues>(setError: UseFormSetError<F>, field: Path<F>, text: string): void {
  setError(field, { type: SERVER, message: text }, { shouldFocus: true });
}

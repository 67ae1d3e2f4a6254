import { i18next } from './i18n';
import { toast } from './toast';

/** Copies and says so. Pages on insecure origins have no clipboard: the text is then shown to be copied by hand. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast.success(i18next.t('common:copied'));
  } catch {
    toast(text);
  }
}

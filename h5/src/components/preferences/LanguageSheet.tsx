import { useTranslation } from 'react-i18next';
import { OptionList, Sheet } from '@/components/ui';
import { LANGUAGE_NAMES, LANGUAGES, type Language, setLanguage, useLanguage } from '@/lib/i18n';
import { queryClient } from '@/lib/query';
import { languageChoiceAtom, useSetAtom } from '@/lib/state';
import { toast } from '@/lib/toast';

interface Props {
  open: boolean;
  onClose(): void;
}

export function LanguageSheet({ open, onClose }: Props) {
  const { t } = useTranslation();
  const current = useLanguage();
  const keepChoice = useSetAtom(languageChoiceAtom);

  async function choose(language: Language) {
    onClose();
    try {
      await setLanguage(language);
    } catch {
      toast.error(t('error.network'));
      return;
    }
    keepChoice(language);
    // Names and articles come from the server in the reader's language.
    void queryClient.invalidateQueries();
  }

  return (
    <Sheet open={open} onClose={onClose} title={t('language')}>
      <OptionList
        label={t('language')}
        options={LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }))}
        value={current}
        onChange={(language) => void choose(language)}
      />
    </Sheet>
  );
}

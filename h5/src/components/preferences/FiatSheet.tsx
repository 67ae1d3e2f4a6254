import { useTranslation } from 'react-i18next';
import { OptionList, Sheet } from '@/components/ui';
import { chooseFiat, FIAT_CODES, FIAT_SYMBOLS, useFiat } from '@/lib/fiat';
import { LANGUAGE_TAGS, useLanguage } from '@/lib/i18n';
import { toast } from '@/lib/toast';

interface Props {
  open: boolean;
  onClose(): void;
}

export function FiatSheet({ open, onClose }: Props) {
  const { t } = useTranslation();
  const fiat = useFiat();
  const names = new Intl.DisplayNames(LANGUAGE_TAGS[useLanguage()], { type: 'currency' });
  return (
    <Sheet open={open} onClose={onClose} title={t('fiat')}>
      <OptionList
        label={t('fiat')}
        options={FIAT_CODES.map((value) => ({
          value,
          label: value,
          note: `${names.of(value) ?? value} · ${FIAT_SYMBOLS[value].trim()}`,
        }))}
        value={fiat.code}
        onChange={(code) => {
          onClose();
          if (!chooseFiat(code)) toast(t('fiatUnavailable'));
        }}
      />
    </Sheet>
  );
}

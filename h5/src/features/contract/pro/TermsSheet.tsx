import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, OptionList, Sheet } from '@/components/ui';
import { Warning } from '@/trading';
import { type BookRules, useProCommands } from '../api/book';
import { MultipleField } from '../MultipleField';
import type { MarginMode } from '../numbers';
import css from '../StopsForm.module.css';

/** Multiples on offer, of those that the contract takes. */
const OFFERED = [1, 2, 3, 5, 10, 20, 50, 75, 100] as const;

interface Props {
  open: boolean;
  rules: BookRules;
  /** A position or an order is there: nothing can change. */
  fixed: boolean;
  onClose(): void;
}

/** Margin mode and multiple of a contract's book. */
export function TermsSheet({ open, onClose, ...rest }: Props) {
  const { t } = useTranslation('contract');
  return (
    <Sheet open={open} onClose={onClose} title={t('pro.terms')}>
      {open && <Terms onClose={onClose} {...rest} />}
    </Sheet>
  );
}

function Terms({ rules, fixed, onClose }: Omit<Props, 'open'>) {
  const { t } = useTranslation('contract');
  const { busy, setTerms } = useProCommands();
  const [mode, setMode] = useState<MarginMode>(rules.mode);
  const [multiple, setMultiple] = useState(rules.multiple);
  const multiples = OFFERED.filter((value) => value <= rules.maxMultiple);
  async function save() {
    const fields = { currency_id: rules.currencyId, legal_id: rules.legalId, multiple, margin_mode: mode };
    if (await setTerms(fields)) onClose();
  }
  return (
    <div className={css.stops}>
      {fixed && <Warning>{t('pro.termsNote')}</Warning>}
      <OptionList<MarginMode>
        label={t('form.mode')}
        value={mode}
        options={(['cross', 'isolated'] as const).map((value) => ({
          value,
          label: t(`form.${value}`),
          note: t(`form.${value}Note`),
        }))}
        onChange={setMode}
      />
      <MultipleField multiples={multiples} value={multiple} cap={undefined} error={undefined} onChange={setMultiple} />
      <Button block size="l" loading={busy} disabled={fixed} onClick={() => void save()}>
        {t('stops.save')}
      </Button>
    </div>
  );
}

import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, Input } from '@/components/ui';
import { useAskCouponsAgain } from '@/lib/api/coupons';
import { useOnline } from '@/lib/online';
import { toast } from '@/lib/toast';
import { useExchangeCode } from './api/coupons';
import css from './CouponPage.module.css';

/** Letters of a code at most. */
const LONGEST = 64;

/** A code is exchanged for a coupon. */
export function CodeForm({ onDone }: { onDone(): void }) {
  const { t } = useTranslation('coupon');
  const { t: c } = useTranslation();
  const online = useOnline();
  const { phase, send } = useExchangeCode();
  const askAgain = useAskCouponsAgain();
  const [code, setCode] = useState('');
  const [trouble, setTrouble] = useState<string>();

  async function submit(event: FormEvent) {
    event.preventDefault();
    const outcome = await send({ code: code.trim() }, t('title'));
    if (!outcome) return;
    if (outcome.kind === 'refused') return setTrouble(outcome.text);
    if (outcome.kind === 'not_received') return setTrouble(c('notReceived'));
    setCode('');
    toast.success(t('received'));
    askAgain();
    onDone();
  }

  return (
    <form className={css.form} onSubmit={(event) => void submit(event)}>
      <Input
        label={t('code')}
        placeholder={t('codeHint')}
        autoCapitalize="characters"
        autoComplete="off"
        spellCheck={false}
        maxLength={LONGEST}
        value={code}
        error={trouble}
        onChange={({ target }) => {
          setCode(target.value);
          setTrouble(undefined);
        }}
      />
      <Button type="submit" size="l" loading={phase !== 'idle'} disabled={!online || code.trim() === ''}>
        {t('exchange')}
      </Button>
    </form>
  );
}

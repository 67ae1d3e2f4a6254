import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, Sheet, Stepper, Tabs } from '@/components/ui';
import { Decimal, fixed, plain } from '@/lib/decimal';
import { formatAmount, formatPrice } from '@/lib/format';
import { Fact, Facts, typed } from '@/trading';
import { type BookRules, type Position, useProCommands } from '../api/book';
import css from './Pro.module.css';

interface Props {
  /** undefined: closed. */
  position: Position | undefined;
  rules: BookRules;
  available: string | undefined;
  onClose(): void;
}

/** Puts margin into an isolated position, or takes it out. */
export function MarginSheet({ position, rules, available, onClose }: Props) {
  const { t } = useTranslation(['contract', 'trade']);
  const { busy, moveMargin } = useProCommands();
  const [way, setWay] = useState<'add' | 'take'>('add');
  const [text, setText] = useState('');
  const amount = typed(text);
  async function move() {
    if (!position || !amount?.gt(0)) return;
    const { currency_id, legal_id, position_side } = position;
    const fields = {
      currency_id,
      legal_id,
      position_side,
      type: way === 'add' ? 1 : 2,
      amount: plain(amount),
    } as const;
    if (await moveMargin(fields)) {
      setText('');
      onClose();
    }
  }
  return (
    <Sheet open={position !== undefined} onClose={onClose} title={t('pro.marginTitle')}>
      {position && (
        <div className={css.margin}>
          <Tabs<'add' | 'take'>
            look="segment"
            label={t('pro.marginTitle')}
            value={way}
            onChange={setWay}
            items={(['add', 'take'] as const).map((value) => ({ value, label: t(`pro.${value}`) }))}
          />
          <Stepper
            label={`${t('pro.amount')} (${rules.settle})`}
            value={text}
            onChange={setText}
            onStep={(step) => setText(fixed(Decimal.max((amount ?? new Decimal(0)).plus(step), 0), 2))}
          />
          <Facts>
            <Fact name={t('ticket.margin')}>
              {formatAmount(position.margin)} {rules.settle}
            </Fact>
            <Fact name={t('trade:ticket.available')}>
              {available ? formatAmount(available, 4) : '--'} {rules.settle}
            </Fact>
            <Fact name={t('ticket.liquidation')}>
              {position.liq_price ? formatPrice(position.liq_price, rules.priceDecimals) : '--'}
            </Fact>
          </Facts>
          <p className={css.note}>{t('pro.marginNote')}</p>
          <Button block size="l" loading={busy} disabled={!amount?.gt(0)} throttleMs={1000} onClick={() => void move()}>
            {t(`pro.${way}`)}
          </Button>
        </div>
      )}
    </Sheet>
  );
}

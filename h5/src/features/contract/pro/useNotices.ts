/** Tells what happened to positions without an order of their owner, with the numbers of the fact. */
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { Decimal } from '@/lib/decimal';
import { formatAmount, formatPrice } from '@/lib/format';
import { type PrivateEvent, usePrivateEvents } from '@/lib/market';
import { toast } from '@/lib/toast';
import { signedExact } from '../show';

export interface Notice {
  tone: 'success' | 'error' | 'info';
  text: string;
}

const money = (text: string): string => formatAmount(text, 4);
const signed = (text: string): string => signedExact(new Decimal(text));

/** undefined of an event that says nothing of this kind. */
export function noticeOf(event: PrivateEvent, t: TFunction<'contract'>): Notice | undefined {
  const what = (symbol: string | undefined) => symbol ?? t('pro.notice.pool');
  switch (event.event) {
    case 'contract_funding': {
      const { symbol, coin, amount } = event.funding;
      if (new Decimal(amount).isZero()) return undefined;
      return {
        tone: 'info',
        text: t('pro.notice.funding', { what: what(symbol), amount: signed(amount), asset: coin }),
      };
    }
    case 'contract_deleveraged': {
      const { symbol, coin, amount, price, result } = event.deleveraged;
      const values = { what: what(symbol), amount: formatAmount(amount), price: formatPrice(price, 2) };
      return { tone: 'error', text: t('pro.notice.deleveraged', { ...values, result: signed(result), asset: coin }) };
    }
    case 'contract_liquidation': {
      const told = event.liquidation;
      const values = { what: what(told.symbol), asset: told.coin };
      if (told.phase === 'step') {
        const { amount, bankruptcy, result, fee } = told;
        const numbers = { amount: formatAmount(amount), price: formatPrice(bankruptcy, 2), fee: money(fee) };
        return { tone: 'error', text: t('pro.notice.step', { ...values, ...numbers, result: signed(result) }) };
      }
      const worth = { equity: money(told.equity), maintenance: money(told.maintenance) };
      if (told.phase === 'started') return { tone: 'error', text: t('pro.notice.started', { ...values, ...worth }) };
      return { tone: 'info', text: t('pro.notice.ended', { ...values, ...worth, steps: told.steps }) };
    }
    default:
      return undefined;
  }
}

export function useNotices(): void {
  const { t } = useTranslation('contract');
  usePrivateEvents((event) => {
    const notice = noticeOf(event, t);
    if (notice) toast(notice.text, notice.tone, { long: event.event !== 'contract_funding' });
  });
}

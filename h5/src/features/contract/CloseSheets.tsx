/** What is asked before positions are closed: what it comes to at the index of the moment. */
import clsx from 'clsx';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmDialog, Sheet } from '@/components/ui';
import { Decimal } from '@/lib/decimal';
import { directionOf, formatAmount } from '@/lib/format';
import { Fact, Facts } from '@/trading';
import type { Ticket } from './api/tickets';
import css from './CloseSheets.module.css';
import { heldOf } from './held';
import { proceeds } from './numbers';
import { priceOr, signedMoney } from './show';

interface CloseProps {
  /** As it is worth now; undefined: closed. */
  ticket: Ticket | undefined;
  live: boolean;
  busy: boolean;
  onClose(): void;
  onConfirm(ticket: Ticket): void;
}

export function CloseDialog({ ticket, live, busy, onClose, onConfirm }: CloseProps) {
  const { t } = useTranslation('contract');
  const [last, setLast] = useState(ticket);
  if (ticket && ticket !== last) setLast(ticket);
  if (!last) return null;
  const { profit, margin, mode } = heldOf(last);
  const [, settle = ''] = last.symbol.split('/');
  return (
    <ConfirmDialog
      open={ticket !== undefined && live}
      title={t('close.title')}
      confirmText={t('close.confirm')}
      loading={busy}
      onConfirm={() => onConfirm(last)}
      onClose={onClose}
    >
      <p className={css.what}>
        {t('ticket.label', {
          direction: t(last.type === 1 ? 'form.long' : 'form.short'),
          pair: last.symbol,
          lots: formatAmount(last.share),
        })}
      </p>
      <Facts>
        <Fact name={t('close.index')}>{priceOr(last.update_price, 2)}</Fact>
        <Fact name={t('close.result')}>
          <span className={css[directionOf(profit.toNumber())]}>
            {signedMoney(profit)} {settle}
          </span>
        </Fact>
        <Fact name={t('close.back')}>
          {/* What a cross position lost beyond its margin is taken from the balance. */}
          {formatAmount(mode === 'cross' ? margin.plus(profit) : proceeds(margin, profit), 2)} {settle}
        </Fact>
      </Facts>
      <p className={css.note}>{t('close.text')}</p>
    </ConfirmDialog>
  );
}

/** Whom `lever/batch_close` closes. */
export type Which = 0 | 1 | 2;

const WHICH = [
  [0, 'all'],
  [1, 'longs'],
  [2, 'shorts'],
] as const;

/** An open position, as it is worth now. */
export interface CloseRow {
  long: boolean;
  profit: Decimal;
}

/** Those of `rows` that are meant. */
export const chosen = <R extends { long: boolean }>(rows: readonly R[], which: Which): R[] =>
  rows.filter(({ long }) => which === 0 || long === (which === 1));

interface AllProps {
  open: boolean;
  /** Of one contract or of all. */
  rows: readonly CloseRow[];
  asset: string;
  /** Of which contracts, and at what price. */
  note: string;
  /** Open orders that leave with all of them. */
  orders?: number;
  busy: boolean;
  onClose(): void;
  onChoose(which: Which): void;
}

/** One tap closes all, the longs or the shorts. */
export function CloseAllSheet({ open, rows, asset, note, orders = 0, busy, onClose, onChoose }: AllProps) {
  const { t } = useTranslation('contract');
  return (
    <Sheet open={open} onClose={busy ? () => {} : onClose} title={t('close.allTitle')}>
      <p className={css.note}>{note}</p>
      <ul className={css.choices}>
        {WHICH.map(([which, name]) => {
          const meant = chosen(rows, which);
          const profit = meant.reduce((sum, row) => sum.plus(row.profit), new Decimal(0));
          return (
            <li key={which}>
              <button
                type="button"
                className={css.choice}
                disabled={busy || meant.length === 0}
                onClick={() => onChoose(which)}
              >
                <span>{t(`close.${name}`)}</span>
                <span className={clsx('num', css.sum)}>
                  {t('close.count', { number: meant.length, profit: signedMoney(profit), asset })}
                </span>
                {which === 0 && orders > 0 && (
                  <span className={clsx('num', css.sum)}>{t('close.orders', { number: orders })}</span>
                )}
              </button>
            </li>
          );
        })}
      </ul>
    </Sheet>
  );
}

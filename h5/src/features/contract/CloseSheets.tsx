/** What is asked before positions are closed: what it comes to at the index of the moment. */
import clsx from 'clsx';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmDialog, Sheet } from '@/components/ui';
import { directionOf, formatAmount } from '@/lib/format';
import { Fact, Facts } from '@/trading';
import type { Ticket } from './api/tickets';
import css from './CloseSheets.module.css';
import { heldOf, profitsOf } from './held';
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

interface AllProps {
  open: boolean;
  /** Open positions, of one contract or of all. */
  tickets: readonly Ticket[];
  /** The contract, if it is one. */
  symbol: string | undefined;
  busy: boolean;
  onClose(): void;
  onChoose(which: Which): void;
}

/** One tap closes all, the longs or the shorts. */
export function CloseAllSheet({ open, tickets, symbol, busy, onClose, onChoose }: AllProps) {
  const { t } = useTranslation('contract');
  const asset = tickets[0]?.symbol.split('/')[1] ?? '';
  return (
    <Sheet open={open} onClose={onClose} title={t('close.allTitle')}>
      <p className={css.note}>{symbol ? t('close.allOf', { pair: symbol }) : t('close.allEverywhere')}</p>
      <ul className={css.choices}>
        {WHICH.map(([which, name]) => {
          const rows = which === 0 ? tickets : tickets.filter(({ type }) => type === which);
          const profit = profitsOf(rows);
          return (
            <li key={which}>
              <button
                type="button"
                className={css.choice}
                disabled={busy || rows.length === 0}
                onClick={() => onChoose(which)}
              >
                <span>{t(`close.${name}`)}</span>
                <span className={clsx('num', css.sum)}>
                  {t('close.count', { number: rows.length, profit: signedMoney(profit), asset })}
                </span>
              </button>
            </li>
          );
        })}
      </ul>
    </Sheet>
  );
}

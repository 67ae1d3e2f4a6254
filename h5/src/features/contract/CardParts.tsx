/** What the cards of tickets and of a book's positions are made of. */
import clsx from 'clsx';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Badge } from '@/components/ui';
import type { Decimal } from '@/lib/decimal';
import { directionOf, formatPercent } from '@/lib/format';
import type { MarginMode } from './numbers';
import { RiskBar } from './RiskBar';
import css from './TicketCard.module.css';

interface HeadProps {
  long: boolean;
  symbol: string;
  mode: MarginMode;
  multiple: number;
  /** At the end of the line. */
  children: ReactNode;
}

export function CardHead({ long, symbol, mode, multiple, children }: HeadProps) {
  const { t } = useTranslation('contract');
  return (
    <header className={css.top}>
      <span className={clsx(css.side, long ? css.long : css.short)}>{t(long ? 'form.long' : 'form.short')}</span>
      <span className={css.pair}>{symbol}</span>
      <Badge>{t(`form.${mode}`)}</Badge>
      <Badge>{multiple}×</Badge>
      <span className={css.end}>{children}</span>
    </header>
  );
}

interface Gain {
  name: string;
  text: string;
  /** Its sign gives the colour. */
  value: Decimal;
}

/** Two large figures, what was gained and what that comes to. */
export function Gains({ gained, kept, dimmed }: { gained: Gain; kept: Gain; dimmed: boolean }) {
  const figure = ({ name, text, value }: Gain) => (
    <>
      <span className={css.name}>{name}</span>
      <b className={clsx('num', css[directionOf(value.toNumber())])}>{text}</b>
    </>
  );
  return (
    <div className={clsx(css.profit, dimmed && css.dimmed)}>
      <p>{figure(gained)}</p>
      <p className={css.right}>{figure(kept)}</p>
    </div>
  );
}

/** How near the end is. */
export function Risk({ rate, mode }: { rate: string; mode: MarginMode }) {
  const { t } = useTranslation('contract');
  return (
    <div className={css.risk}>
      <span className={css.name}>{t('ticket.risk')}</span>
      <RiskBar rate={rate} mode={mode} />
      <span className="num">{formatPercent(rate, 2)}</span>
    </div>
  );
}

export function Figure({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt className={css.name}>{name}</dt>
      <dd className="num">{children}</dd>
    </div>
  );
}

/** An amount of an asset. */
export function Money({ name, amount, asset }: { name: string; amount: string; asset: string }) {
  return (
    <Figure name={name}>
      <span>
        {amount} <span className={css.unit}>{asset}</span>
      </span>
    </Figure>
  );
}

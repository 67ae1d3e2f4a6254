import { useTranslation } from 'react-i18next';
import { Button } from '@/components/ui';
import { PATHS } from '@/config/paths';
import type { LeverTicket } from '@/lib/api/schema/shared';
import { formatAmount, formatMoment, formatPrice } from '@/lib/format';
import { navigateTo } from '@/lib/navigation';
import css from './Card.module.css';
import { Figure, Figures } from './Figures';
import { gain, positionText } from './show';

interface Props {
  copy: LeverTicket;
  trader: string | undefined;
  onHold(copy: LeverTicket): void;
}

/** An open copy: it ends with its trader's position, unless its owner holds it alone. */
export function CopyCard({ copy, trader, onHold }: Props) {
  const { t } = useTranslation('copy');
  const [, asset = ''] = copy.symbol.split('/');
  const pnl = gain(copy.profits);
  const places = Math.max(2, copy.price.split('.')[1]?.length ?? 0);
  const name = positionText(copy, t);
  return (
    <article className={css.card} aria-label={name}>
      <header className={css.head}>
        <span className={css.who}>
          <b>{name}</b>
          <span className="num">
            {t('copiedFrom', { trader })} · {copy.multiple}×
          </span>
        </span>
        <span className={`num ${css.pnl}`} data-tone={pnl.tone}>
          <small>
            {t('copy.pnl')} ({asset})
          </small>
          {pnl.text}
        </span>
      </header>
      <Figures>
        <Figure name={t('copy.entry')}>{formatPrice(copy.price, places)}</Figure>
        <Figure name={t('copy.index')}>{formatPrice(copy.update_price, places)}</Figure>
        <Figure name={t('copy.liquidation')}>
          {copy.liq_price === null ? '--' : formatPrice(copy.liq_price, places)}
        </Figure>
        <Figure name={t('copy.margin')}>{formatAmount(copy.caution_money, 4)}</Figure>
        <Figure name={t('copy.opened')}>{formatMoment(copy.transaction_time_ms)}</Figure>
      </Figures>
      <div className={css.actions}>
        <Button size="s" tone="secondary" onClick={() => navigateTo(PATHS.contract, { symbol: copy.symbol })}>
          {t('copy.stops')}
        </Button>
        <Button size="s" tone="secondary" onClick={() => onHold(copy)}>
          {t('hold.action')}
        </Button>
      </div>
    </article>
  );
}

import { useTranslation } from 'react-i18next';
import { Button } from '@/components/ui';
import { Decimal } from '@/lib/decimal';
import { formatAmount, formatPrice } from '@/lib/format';
import { useContract } from '@/lib/market';
import type { BookOrder, BookRules, Position } from '../api/book';
import { CardHead, Figure, Gains, Money, Risk } from '../CardParts';
import { priceOr, signedMoney } from '../show';
import css from '../TicketCard.module.css';
import { Lights } from './Lights';
import { markOf, profitAt, roeOf, stopsOf } from './numbers';

interface Props {
  position: Position;
  rules: BookRules;
  /** Own open orders, of which some may close it. */
  orders: readonly BookOrder[];
  /** The index can be relied on: what it is worth is not dimmed, and it may be closed. */
  live: boolean;
  onMargin(position: Position): void;
  onStops(position: Position): void;
  onClose(position: Position): void;
}

/** A position of a contract's book, at the mark of the moment. */
export function PositionCard({ position, rules, orders, live, onMargin, onStops, onClose }: Props) {
  const { t } = useTranslation('contract');
  const face = useContract(position.symbol);
  const mark = markOf(position, face);
  const profit = profitAt(position, new Decimal(mark));
  const { takeProfit, stopLoss } = stopsOf(position, orders);
  const long = position.side === 'long';
  // What is shown as nothing has no colour.
  const shown = profit.toDecimalPlaces(2);
  const price = (value: string | null) => priceOr(value, rules.priceDecimals);
  const side = t(long ? 'form.long' : 'form.short');
  return (
    <article className={css.card} aria-label={`${side} ${position.symbol}, ${formatAmount(position.amount)}`}>
      <div className={css.body}>
        <div className={css.first}>
          <CardHead long={long} symbol={position.symbol} mode={position.margin_mode} multiple={position.multiple}>
            <Lights lights={position.lights} />
          </CardHead>
          <Gains
            gained={{ name: `${t('ticket.pnl')} (${rules.settle})`, text: signedMoney(profit), value: shown }}
            kept={{ name: t('ticket.roe'), text: `${signedMoney(roeOf(position, profit))}%`, value: shown }}
            dimmed={!live}
          />
          {position.risk_rate !== null && <Risk rate={position.risk_rate} mode="cross" />}
        </div>
        <dl className={css.grid}>
          <Figure name={t('ticket.size')}>
            {formatAmount(position.amount)} {rules.base}
          </Figure>
          <Figure name={t('ticket.entry')}>{price(position.entry)}</Figure>
          <Figure name={t('stats.mark')}>{price(mark)}</Figure>
          <Figure name={t('ticket.liquidation')}>{price(position.liq_price)}</Figure>
          <Figure name={t('preview.bankruptcy')}>{price(position.bankruptcy_price)}</Figure>
          <Money name={t('ticket.margin')} amount={formatPrice(position.margin, 2)} asset={rules.settle} />
          <Figure name={t('ticket.takeProfit')}>{price(takeProfit)}</Figure>
          <Figure name={t('ticket.stopLoss')}>{price(stopLoss)}</Figure>
        </dl>
        <div className={css.actions}>
          {position.margin_mode === 'isolated' && (
            <Button tone="secondary" size="s" disabled={!live} onClick={() => onMargin(position)}>
              {t('pro.margin')}
            </Button>
          )}
          <Button tone="secondary" size="s" disabled={!live} onClick={() => onStops(position)}>
            {t('ticket.setStops')}
          </Button>
          <Button tone="secondary" size="s" disabled={!live} throttleMs={1000} onClick={() => onClose(position)}>
            {t('pro.closeMarket')}
          </Button>
        </div>
      </div>
    </article>
  );
}

import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { Badge, Button } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { Decimal } from '@/lib/decimal';
import { formatAmount, formatMoment } from '@/lib/format';
import { navigateTo } from '@/lib/navigation';
import type { Ticket } from './api/tickets';
import { CardHead, Figure, Gains, Money, Risk } from './CardParts';
import { gainedOf, heldOf, keptOf } from './held';
import { roe } from './numbers';
import { priceOr, signedExact, signedMoney } from './show';
import css from './TicketCard.module.css';

interface Props {
  ticket: Ticket;
  /** The index can be relied on: what is worth something is not dimmed, and it may be closed. */
  live: boolean;
  /** On its way. */
  busy?: boolean;
  /** Whose trade it is a copy of: it closes with that one, and its owner may hold it alone instead. */
  trader?: string | undefined;
  onStops?(ticket: Ticket): void;
  onEnd?(ticket: Ticket): void;
}

const placesOf = (ticket: Ticket): number => Math.max(new Decimal(ticket.price).decimalPlaces(), 2);

/** One position, limit order or what became of it, with everything that there is to know of it. */
export const TicketCard = memo(function TicketCard({ ticket, live, busy = false, trader, onStops, onEnd }: Props) {
  const { t } = useTranslation('contract');
  const { t: c } = useTranslation('copy');
  const long = ticket.type === 1;
  const { status } = ticket;
  const label = t('ticket.label', {
    direction: t(long ? 'form.long' : 'form.short'),
    pair: ticket.symbol,
    lots: formatAmount(ticket.share),
  });
  return (
    <article className={css.card} aria-label={label}>
      <div className={css.body}>
        <div className={css.first}>
          <CardHead long={long} symbol={ticket.symbol} mode={ticket.margin_mode} multiple={ticket.multiple}>
            {status === 3 && (
              <Badge tone={ticket.close_reason === 'liquidation' ? 'down' : 'neutral'}>
                {t(`reason.${ticket.close_reason || 'user'}`)}
              </Badge>
            )}
            {status === 4 && <Badge>{t('tickets.cancelled')}</Badge>}
          </CardHead>
          {trader !== undefined && (
            <Button
              tone="ghost"
              size="s"
              className={css.trader}
              onClick={() => navigateTo(PATHS.followTrader, { uid: ticket.follow_user_id })}
            >
              {c('copiedFrom', { trader })}
            </Button>
          )}
          {(status === 1 || status === 3) && <Profit ticket={ticket} dimmed={status === 1 && !live} />}
          {status === 1 && ticket.risk_rate !== null && <Risk rate={ticket.risk_rate} mode={ticket.margin_mode} />}
        </div>
        <dl className={css.grid}>
          <Figures ticket={ticket} />
        </dl>
        {(onStops || onEnd) && (
          <div className={css.actions}>
            {onStops && (
              <Button tone="secondary" size="s" disabled={!live} onClick={() => onStops(ticket)}>
                {t('ticket.setStops')}
              </Button>
            )}
            {onEnd && (
              <Button
                tone="secondary"
                size="s"
                loading={busy}
                // A limit order may be cancelled and a copy held at any time.
                disabled={status === 1 && !live && trader === undefined}
                throttleMs={1000}
                onClick={() => onEnd(ticket)}
              >
                {trader === undefined ? t(status === 0 ? 'ticket.cancel' : 'ticket.close') : c('hold.action')}
              </Button>
            )}
          </div>
        )}
      </div>
    </article>
  );
});

/** What it gained: live, or in the end. */
function Profit({ ticket, dimmed }: { ticket: Ticket; dimmed: boolean }) {
  const { t } = useTranslation('contract');
  const { profit, origin } = heldOf(ticket);
  const [, asset = ''] = ticket.symbol.split('/');
  const open = ticket.status === 1;
  const gained = open ? profit : gainedOf(ticket);
  const kept = open ? gained : keptOf(ticket);
  return (
    <Gains
      gained={{
        name: `${t(open ? 'ticket.pnl' : 'ticket.result')} (${asset})`,
        text: open ? signedMoney(gained) : signedExact(gained),
        value: gained,
      }}
      kept={{
        name: t(open ? 'ticket.roe' : 'ticket.net'),
        text: open ? `${signedMoney(roe(profit, origin))}%` : signedExact(kept),
        value: kept,
      }}
      dimmed={dimmed}
    />
  );
}

function Figures({ ticket }: { ticket: Ticket }) {
  const { t } = useTranslation('contract');
  const places = placesOf(ticket);
  const price = (value: string | null) => priceOr(value, places);
  const [base = '', settle = ''] = ticket.symbol.split('/');
  const money = (name: 'reserved' | 'margin' | 'night' | 'fee', amount: Decimal | string) => (
    <Money name={t(`ticket.${name}`)} amount={formatAmount(amount, 4)} asset={settle} />
  );
  const { status } = ticket;
  const waits = status === 0 || status === 4;
  const reserved = new Decimal(ticket.caution_money).plus(ticket.trade_fee);
  return (
    <>
      <Figure name={t('ticket.size')}>
        {t('ticket.lots', { lots: formatAmount(ticket.share) })}
        <small>
          {formatAmount(ticket.number)} {base}
        </small>
      </Figure>
      {waits && <Figure name={t('ticket.limit')}>{price(ticket.origin_price)}</Figure>}
      <Figure name={t(waits ? 'ticket.opensAt' : 'ticket.entry')}>{price(ticket.price)}</Figure>
      {status !== 4 && (
        <Figure name={t(status === 3 ? 'ticket.exit' : 'ticket.index')}>{price(ticket.update_price)}</Figure>
      )}
      {status === 1 && <Figure name={t('ticket.liquidation')}>{price(ticket.liq_price)}</Figure>}
      {money(waits ? 'reserved' : 'margin', waits ? reserved : ticket.caution_money)}
      {status < 2 && (
        <>
          <Figure name={t('ticket.takeProfit')}>{price(ticket.target_profit_price)}</Figure>
          <Figure name={t('ticket.stopLoss')}>{price(ticket.stop_loss_price)}</Figure>
        </>
      )}
      {!waits && money('night', ticket.overnight_money)}
      {money('fee', ticket.trade_fee)}
      <Figure name={t(waits ? 'ticket.placed' : 'ticket.opened')}>
        {formatMoment(waits ? ticket.create_time_ms : ticket.transaction_time_ms)}
      </Figure>
      {ticket.handle_time_ms !== null && (
        <Figure name={t(status === 4 ? 'ticket.cancelled' : 'ticket.ended')}>
          {formatMoment(ticket.handle_time_ms)}
        </Figure>
      )}
    </>
  );
}

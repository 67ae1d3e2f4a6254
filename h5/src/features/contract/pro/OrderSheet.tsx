/** What an order of a contract's book would cost and where its position would end: the server's word, before it is sent. */
import { useQueryClient } from '@tanstack/react-query';
import { ShieldAlert } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Badge, Button, ErrorState, Sheet, SkeletonRows } from '@/components/ui';
import { tellOutcome } from '@/lib/api/tellOutcome';
import { formatAmount, formatPrice } from '@/lib/format';
import { Fact, Facts, Warning } from '@/trading';
import { type BookRules, type OrderFields, type Preview, proKey, usePlaceOrder, usePreview } from '../api/book';
import css from '../OpenSheet.module.css';

interface Props {
  open: boolean;
  rules: BookRules;
  /** undefined: nothing is asked for. */
  fields: OrderFields | undefined;
  /** The index can be relied on. */
  live: boolean;
  onClose(): void;
  onSent(): void;
}

export function OrderSheet({ open, rules, fields, live, onClose, onSent }: Props) {
  const { t } = useTranslation(['contract', 'common', 'trade']);
  const client = useQueryClient();
  const { phase, send } = usePlaceOrder();
  const preview = usePreview(open ? fields : undefined);
  const shown = preview.data;
  const busy = phase !== 'idle';
  const buys = fields?.type === 1;

  async function place() {
    if (!fields) return;
    const outcome = await send(fields, `${t(buys ? 'pro.buy' : 'pro.sell')} ${rules.symbol}`);
    if (outcome) void client.invalidateQueries({ queryKey: proKey });
    if (tellOutcome(outcome, { done: t('pro.sent'), notReceived: t('common:notReceived') })) onSent();
  }

  return (
    <Sheet
      open={open}
      onClose={busy ? () => {} : onClose}
      title={t('pro.confirm')}
      footer={
        <Button
          block
          size="l"
          tone={buys ? 'up' : 'down'}
          loading={busy}
          disabled={!live || !shown?.enough}
          throttleMs={1200}
          onClick={() => void place()}
        >
          {t(buys ? 'pro.sendBuy' : 'pro.sendSell')}
        </Button>
      }
    >
      <p className={css.head}>
        <strong className={buys ? css.long : css.short}>{t(buys ? 'pro.buy' : 'pro.sell')}</strong>
        <strong>{rules.symbol}</strong>
        <Badge>{t(`form.${shown?.margin_mode ?? rules.mode}`)}</Badge>
        <Badge>{shown?.multiple ?? rules.multiple}×</Badge>
        {fields?.reduce_only === '1' && <Badge>{t('pro.reduceOnly')}</Badge>}
      </p>
      {phase === 'checking' && <Warning>{t('preview.checking')}</Warning>}
      {shown ? (
        <Shown preview={shown} rules={rules} market={fields?.order_type === 'market'} />
      ) : preview.error ? (
        <ErrorState error={preview.error} onRetry={() => void preview.refetch()} />
      ) : (
        <SkeletonRows rows={6} icon={false} />
      )}
    </Sheet>
  );
}

function Shown({ preview, rules, market }: { preview: Preview; rules: BookRules; market: boolean }) {
  const { t } = useTranslation('contract');
  const money = (value: string, places = 4) => `${formatAmount(value, places)} ${preview.coin}`;
  const price = (value: string | null) =>
    value === null ? t('preview.none') : `${formatPrice(value, rules.priceDecimals)} ${rules.settle}`;
  const base = (value: string) => `${formatAmount(value)} ${rules.base}`;
  const opens = Number(preview.opens) > 0;
  const values = { amount: formatAmount(preview.worst_case, 2), asset: preview.coin };
  return (
    <>
      {!preview.enough && <Warning>{t('pro.notEnough')}</Warning>}
      {market && Number(preview.in_book) < Number(preview.amount) && (
        <Warning>{t('pro.notInBook', { amount: formatAmount(preview.in_book), asset: rules.base })}</Warning>
      )}
      <Facts>
        <Fact name={t(market ? 'preview.price' : 'preview.limit')}>{price(preview.price)}</Fact>
        <Fact name={t('preview.size')}>{base(preview.amount)}</Fact>
        <Fact name={t('preview.value')}>{money(preview.value, 2)}</Fact>
        {Number(preview.closes) > 0 && <Fact name={t('pro.closes')}>{base(preview.closes)}</Fact>}
        <Fact name={t('preview.margin')}>{money(preview.margin)}</Fact>
        <Fact name={t('pro.fee')}>{money(preview.fee)}</Fact>
        <Fact name={t('preview.liquidation')}>{price(preview.liq_price)}</Fact>
        <Fact name={t('preview.bankruptcy')}>{price(preview.bankruptcy_price)}</Fact>
      </Facts>
      {opens && (
        <div className={css.worst}>
          <ShieldAlert size={18} aria-hidden="true" />
          <p>
            <strong>{t('preview.worst')}</strong>
            <span className="num">
              {t(preview.margin_mode === 'isolated' ? 'pro.worstIsolated' : 'preview.worstCross', values)}
            </span>
          </p>
        </div>
      )}
      <p className={css.note}>{t('pro.counterparty')}</p>
    </>
  );
}

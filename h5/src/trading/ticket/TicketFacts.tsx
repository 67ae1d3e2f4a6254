import { useTranslation } from 'react-i18next';
import type { Decimal } from '@/lib/decimal';
import { formatAmount } from '@/lib/format';
import { usdtOf } from './hkd';
import type { Side } from './kinds';
import type { OtherPay } from './otherPay';
import { floorTo, type PairRules } from './rules';
import css from './TicketForm.module.css';
import { TransferButton } from './TransferButton';

interface Props {
  rules: PairRules;
  side: Side;
  /** undefined while the account has not told. */
  available: Decimal | undefined;
  maximum: Decimal | undefined;
  fee: Decimal;
  feeAsset: string;
  transferLabel: string;
  /** What a purchase is paid with instead of the quote asset. */
  other: OtherPay | undefined;
  /** HKD for one USDT, where the pair is quoted in HKD. */
  rate: Decimal | undefined;
}

/** What there is, how much that makes at most, what it costs. */
export function TicketFacts({ rules, side, available, maximum, fee, feeAsset, transferLabel, other, rate }: Props) {
  const { t } = useTranslation('trade');
  const paid =
    side === 'sell'
      ? { asset: rules.base, id: rules.currencyId }
      : other
        ? { asset: other.asset, id: other.currencyId }
        : { asset: rules.quote, id: rules.legalId };
  return (
    <dl className={css.facts}>
      <div>
        <dt>{t('ticket.available')}</dt>
        <dd className="num">
          {available ? formatAmount(available) : '--'} {paid.asset}
          <TransferButton label={transferLabel} currency={paid.id} />
        </dd>
      </div>
      <div>
        <dt>{t(`ticket.max.${side}`)}</dt>
        <dd className="num">
          {maximum ? formatAmount(floorTo(maximum, rules.step), rules.amountDecimals) : '--'} {rules.base}
        </dd>
      </div>
      <div>
        <dt>{t('ticket.fee')}</dt>
        <dd className="num">
          {fee.gt(0) ? formatAmount(fee) : '--'} {feeAsset}
        </dd>
        {rate && fee.gt(0) && <dd className={`num ${css.worth}`}>≈ {formatAmount(usdtOf(fee, rate))} USDT</dd>}
      </div>
    </dl>
  );
}

/** The figures of a copy, loaded once there is a trade to reckon from. */
import { useTranslation } from 'react-i18next';
import { addText, compareText } from '@/lib/decimalText';
import { formatAmount, formatPrice } from '@/lib/format';
import { signedMoney } from '@/lib/signedMoney';
import { Fact, Facts, TransferButton, Warning } from '@/trading';
import type { FollowTrade } from './api/traders';
import css from './Example.module.css';
import { copyLots, exampleOf, type Mode, type Terms, withheldOf } from './numbers';
import { positionText } from './show';

const USDT = 3;
/** Of a trader without a closed trade. */
const ASSUMED = { type: 1, share: '10', multiple: 20 } as const;

interface Props {
  trade: FollowTrade | null;
  terms: Terms;
  available: string | undefined;
  mode: Mode;
  /** undefined while it is none. */
  number: string | undefined;
  /** Percent of a net profit. */
  ratio: string;
}

export default function ExampleFigures({ trade, terms, available, mode, number, ratio }: Props) {
  const { t } = useTranslation('copy');
  const of = trade ?? { ...ASSUMED, symbol: terms.symbol };
  const { multiple } = of;
  const lots = number === undefined ? undefined : copyLots(mode, number, of.share);
  const example = lots === undefined ? undefined : exampleOf(terms, lots, multiple);
  const money = (amount: string | undefined) => (amount ? `${formatPrice(amount, 2)} ${terms.asset}` : '--');
  const gained = example && addText(example.percent, `-${example.fee}`);
  return (
    <>
      <p className={css.of}>
        {t(trade ? 'follow.exampleOf' : 'follow.exampleNone', {
          position: positionText(of, t),
          multiple,
        })}
      </p>
      <Facts>
        <Fact name={t('follow.youOpen')}>
          {lots ? t('follow.lotsAt', { lots: formatAmount(lots), multiple }) : '--'}
        </Fact>
        <Fact name={t('follow.value')}>{money(example?.value)}</Fact>
        <Fact name={t('follow.margin')}>{money(example?.margin)}</Fact>
        <Fact name={t('follow.fee', { rate: formatAmount(terms.fee) })}>{money(example?.fee)}</Fact>
        <Fact name={t('follow.cost')}>
          <b>{money(example?.cost)}</b>
        </Fact>
        <Fact name={t('follow.available')}>
          {available === undefined ? '--' : `${formatAmount(available, 2)} ${terms.asset}`}
          <TransferButton label={t('follow.transfer')} currency={USDT} to="lever" />
        </Fact>
        <Fact name={t('follow.move')}>
          <span className={css.down}>{example ? `${signedMoney(`-${example.percent}`)} ${terms.asset}` : '--'}</span>
        </Fact>
        <Fact name={t('follow.gain')}>
          <span className={css.up}>{example ? `${signedMoney(example.percent)} ${terms.asset}` : '--'}</span>
        </Fact>
        {Number(ratio) > 0 && <Fact name={t('follow.ofWhich')}>{money(gained && withheldOf(gained, ratio))}</Fact>}
      </Facts>
      {lots && !example && <Warning>{t('follow.tooLarge', { lots: formatAmount(lots), multiple })}</Warning>}
      {example && available !== undefined && compareText(available, example.cost) < 0 && (
        <Warning>{t('follow.short')}</Warning>
      )}
      <p className={css.note}>{t('follow.asTrader')}</p>
    </>
  );
}

import { useTranslation } from 'react-i18next';
import { Button, ErrorState, Skeleton } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { useMine } from '@/lib/api/copies';
import { addText } from '@/lib/decimalText';
import { directionOf, formatAmount } from '@/lib/format';
import { navigateTo } from '@/lib/navigation';
import { signedMoney } from '@/lib/signedMoney';
import { Figure, Figures } from './Figures';
import css from './MyFigures.module.css';

/** Traders that may be followed at a time. */
const MOST_FOLLOWS = 2;

/** What comes of one's own copies. */
export function MyFigures() {
  const { t } = useTranslation('copy');
  const { follows, copies, error, refetch } = useMine();
  if (!follows || !copies) {
    if (error) return <ErrorState compact error={error} onRetry={() => void refetch()} />;
    return <Skeleton height={132} className={css.blank} />;
  }
  const pnl = copies.reduce((sum, { profits }) => addText(sum, profits), '0');
  const withheld = follows.reduce((sum, row) => addText(sum, row.withheld), '0');
  return (
    <section className={css.mine} aria-label={t('index.mine')}>
      <div className={css.head}>
        <h2>{t('index.mine')}</h2>
        <Button size="s" tone="secondary" onClick={() => navigateTo(PATHS.followMine)}>
          {t('index.manage')}
        </Button>
      </div>
      <div className={css.pnl}>
        <span>{t('index.pnl')} (USDT)</span>
        <b className="num" data-tone={directionOf(pnl)}>
          {signedMoney(pnl)}
        </b>
      </div>
      <Figures>
        <Figure name={t('index.following')}>
          {follows.filter(({ status }) => status === 1).length} / {MOST_FOLLOWS}
        </Figure>
        <Figure name={t('index.openCopies')}>{copies.length}</Figure>
        <Figure name={t('index.withheld')}>{formatAmount(withheld)}</Figure>
      </Figures>
    </section>
  );
}

import { TicketPercent } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Badge, Button } from '@/components/ui';
import { PATHS } from '@/config/paths';
import { useAskCouponsAgain } from '@/lib/api/coupons';
import { tellOutcome } from '@/lib/api/tellOutcome';
import { formatAmount, formatMoment, parseServerTime } from '@/lib/format';
import { navigateTo } from '@/lib/navigation';
import { useOnline } from '@/lib/online';
import { type Coupon, useUseCoupon } from './api/coupons';
import css from './CouponPage.module.css';

interface Props {
  coupon: Coupon;
  /** Of what is told of the country that bars options. */
  noticeId: string | undefined;
}

/** One coupon: what it is worth and where that goes; a button while it can be used. */
export function CouponCard({ coupon, noticeId }: Props) {
  const { t } = useTranslation('coupon');
  const worth = `${formatAmount(coupon.price)} ${coupon.unit}`;
  return (
    <article className={css.card} data-over={coupon.status !== 0} aria-label={`${coupon.name}, ${worth}`}>
      <span className={css.icon} aria-hidden="true">
        <TicketPercent size={22} />
      </span>
      <span className={css.words}>
        <b className="num">{worth}</b>
        <span>{coupon.name}</span>
        <span>{coupon.kind === 'cash' ? t('goesTo', { account: coupon.project_name }) : coupon.project_name}</span>
        <span className="num">
          {coupon.used_at === null
            ? t(coupon.status === 0 ? 'until' : 'ended', { time: formatMoment(coupon.expired_ms) })
            : formatMoment(parseServerTime(coupon.used_at))}
        </span>
      </span>
      {coupon.status === 0 &&
        (coupon.kind === 'cash' ? (
          <Use coupon={coupon} worth={worth} />
        ) : (
          <Stake coupon={coupon} noticeId={noticeId} worth={worth} />
        ))}
      {coupon.status === 1 && <Badge tone="up">{t('state.used')}</Badge>}
      {coupon.status === 2 && <Badge>{t(coupon.revoked ? 'state.revoked' : 'state.expired')}</Badge>}
    </article>
  );
}

/** It is used where options are entered. */
function Stake({ coupon, noticeId, worth }: Props & { worth: string }) {
  const { t } = useTranslation('coupon');
  return (
    <Button
      size="s"
      disabled={noticeId !== undefined}
      aria-label={t('spend', { worth })}
      aria-describedby={noticeId}
      onClick={() => navigateTo(PATHS.options, { coupon: coupon.id })}
    >
      {t('use')}
    </Button>
  );
}

function Use({ coupon, worth }: { coupon: Coupon; worth: string }) {
  const { t } = useTranslation('coupon');
  const { t: c } = useTranslation();
  const online = useOnline();
  const { phase, send } = useUseCoupon();
  const askAgain = useAskCouponsAgain();

  async function spend() {
    const outcome = await send({ id: coupon.id }, t('spend', { worth }));
    if (!outcome) return;
    tellOutcome(outcome, { done: t('spent', { worth }), notReceived: c('notReceived') });
    askAgain();
  }

  return (
    <Button
      size="s"
      loading={phase !== 'idle'}
      disabled={!online}
      aria-label={t('spend', { worth })}
      onClick={() => void spend()}
    >
      {t('use')}
    </Button>
  );
}

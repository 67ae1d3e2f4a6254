import { useTranslation } from 'react-i18next';
import { Avatar, Badge, Button } from '@/components/ui';
import { PATHS } from '@/config/paths';
import type { FollowLink } from '@/lib/api/copies';
import { formatAmount, formatDate, parseServerTime } from '@/lib/format';
import { navigateTo } from '@/lib/navigation';
import css from './Card.module.css';
import { Figure, Figures } from './Figures';
import { gain } from './show';

interface Props {
  link: FollowLink;
  onStop(link: FollowLink): void;
}

/** A trader who is followed: on which terms, what came of it, and what of that is withheld. */
export function LinkCard({ link, onStop }: Props) {
  const { t } = useTranslation('copy');
  const { trader } = link;
  const active = link.status === 1;
  const cum = gain(link.cum);
  return (
    <article className={css.card} aria-label={trader.nickname}>
      <header className={css.head}>
        <Avatar src={trader.head_portrait || undefined} name={trader.nickname} size={36} />
        <span className={css.who}>
          <b>{trader.nickname}</b>
          <span className="num">
            {t(link.type === 1 ? 'mine.multiple' : 'mine.lots', { number: formatAmount(link.number) })} ·{' '}
            {t('mine.open', { number: link.open_count })}
          </span>
          <span>{t('mine.since', { time: formatDate(parseServerTime(link.since)) })}</span>
        </span>
        <Badge tone={active ? 'base' : 'neutral'}>{t(active ? 'mine.active' : 'mine.ended')}</Badge>
      </header>
      <Figures>
        <Figure name={t('mine.cum')} tone={cum.tone}>
          {cum.text}
        </Figure>
        <Figure name={t('mine.hwm')}>{formatAmount(link.hwm)}</Figure>
        <Figure name={t('mine.withheld')}>{formatAmount(link.withheld)}</Figure>
      </Figures>
      <div className={css.actions}>
        <Button size="s" tone="secondary" onClick={() => navigateTo(PATHS.followTrader, { uid: trader.id })}>
          {t('seeTrader')}
        </Button>
        {active && (
          <Button size="s" tone="secondary" onClick={() => onStop(link)}>
            {t('mine.stop')}
          </Button>
        )}
        <Button
          size="s"
          tone={active ? 'secondary' : 'primary'}
          onClick={() => navigateTo(PATHS.follow, { uid: trader.id })}
        >
          {t(active ? 'index.edit' : 'mine.again')}
        </Button>
      </div>
    </article>
  );
}

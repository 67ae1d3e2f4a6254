import { useTranslation } from 'react-i18next';
import { SessionBadge } from '@/components/market/SessionBadge';
import { Badge, ErrorState, Sheet, SkeletonRows } from '@/components/ui';
import type { Quote } from '@/lib/api/types';
import { hoursOf } from '@/lib/stocks';
import { dayAndTime, dayKey, shortDate, timeOfDay } from '@/lib/times';
import { type Calendar, useCalendar } from '../api/stock';
import { Actions } from './Actions';
import { type TradingDay, tradingDays } from './calendar';
import css from './StockSheet.module.css';

interface Props {
  quote: Quote;
  open: boolean;
  onClose(): void;
}

/** What a stock has beside a coin: hours, rules of its own, and actions of its company. */
export function StockSheet({ quote, open, onClose }: Props) {
  const { t } = useTranslation('stock');
  return (
    <Sheet open={open} onClose={onClose} title={t('sheet.title', { name: quote.title })}>
      {open && <Contents quote={quote} />}
    </Sheet>
  );
}

function Contents({ quote }: { quote: Quote }) {
  const { t } = useTranslation('stock');
  const hours = hoursOf(quote);
  const { data, error, refetch } = useCalendar(quote, true);
  return (
    <>
      <h3 className={css.title}>
        {t('sheet.calendar')} {hours && <SessionBadge hours={hours} />}
      </h3>
      {error && <ErrorState compact={data !== undefined} error={error} onRetry={() => void refetch()} />}
      {data ? <Days calendar={data} /> : !error && <SkeletonRows rows={5} icon={false} />}
      <Rules queues={quote.queues === 1} />
      <Actions quote={quote} />
    </>
  );
}

function Days({ calendar }: { calendar: Calendar }) {
  const { t } = useTranslation('stock');
  const days = tradingDays(calendar);
  return (
    <table className={css.days}>
      <thead>
        <tr>
          <th scope="col">{t('sheet.day')}</th>
          <th scope="col">{t('sheet.yours')}</th>
          <th scope="col">{t('sheet.theirs', { venue: calendar.venue })}</th>
        </tr>
      </thead>
      <tbody>
        {days.map((day) => (
          <Day key={day.key} day={day} zone={calendar.zone} />
        ))}
      </tbody>
    </table>
  );
}

function Day({ day, zone }: { day: TradingDay; zone: string }) {
  const { t } = useTranslation('stock');
  return (
    <tr data-closed={day.sessions.length === 0 || undefined}>
      <th scope="row">
        {shortDate(day.noonMs, 'UTC')}
        {day.today && <small>{t('sheet.today')}</small>}
        {day.short && <Badge tone="warn">{t('sheet.short')}</Badge>}
      </th>
      {day.sessions.length === 0 ? (
        <td colSpan={2}>{t(day.weekend ? 'sheet.weekend' : 'sheet.holiday')}</td>
      ) : (
        [undefined, zone].map((shown) => (
          <td key={shown ?? 'own'} className="num">
            {day.sessions.map(({ open_ms, close_ms }) => (
              <span key={open_ms}>
                {timeOn(open_ms, day.key, shown)}–{timeOn(close_ms, day.key, shown)}
              </span>
            ))}
          </td>
        ))
      )}
    </tr>
  );
}

/** With its weekday where that is another than the exchange's. */
const timeOn = (ms: number, day: string, zone: string | undefined): string =>
  dayKey(ms, zone) === day ? timeOfDay(ms, zone) : dayAndTime(ms, zone);

function Rules({ queues }: { queues: boolean }) {
  const { t } = useTranslation('stock');
  return (
    <>
      <h3 className={css.title}>{t('sheet.closed')}</h3>
      <ul className={css.rules}>
        {queues ? (
          <>
            <li>{t('sheet.queues')}</li>
            <li>{t('sheet.refuses')}</li>
          </>
        ) : (
          <li>{t('sheet.noQueue')}</li>
        )}
        <li>{t('sheet.dayExpires')}</li>
      </ul>
      <h3 className={css.title}>{t('sheet.rules')}</h3>
      <ul className={css.rules}>
        {(['cash', 'settled', 'noShort', 'noAuctions'] as const).map((rule) => (
          <li key={rule}>{t(`sheet.${rule}`)}</li>
        ))}
      </ul>
    </>
  );
}

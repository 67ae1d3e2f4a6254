import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { LiveBadge } from '@/components/ui';
import type { Quote } from '@/lib/api/types';
import { quickPrice, quickVolume } from '@/lib/format';
import { useConnection, useMarketStatus, useTicker } from '@/lib/market';
import { useOnline } from '@/lib/online';
import { hoursOf, isStock } from '@/lib/stocks';
import { useStaleSeconds } from './gate';
import { LastPrice } from './LastPrice';
import css from './MarketStats.module.css';

interface Props {
  quote: Quote;
  places: number;
  /** With the price and the turnover: there is room. */
  full: boolean;
}

/** The last 24 hours, or a stock's trading day, in three numbers, and whether what is shown is current and where it comes from. */
export const MarketStats = memo(function MarketStats({ quote, places, full }: Props) {
  const { t } = useTranslation('trade');
  const ticker = useTicker(quote.symbol);
  const high = ticker?.high ?? Number(quote.high);
  const low = ticker?.low ?? Number(quote.low);
  const ofDay = isStock(quote);
  const volume = (asset: string) => t(ofDay ? 'stats.dayVolume' : 'stats.volume', { asset });
  return (
    <div className={css.stats}>
      {full && <LastPrice symbol={quote.symbol} quote={quote.legal_name} places={places} rate={quote.usdt_rate} />}
      <dl className={css.numbers}>
        <div>
          <dt>{t(ofDay ? 'stats.dayHigh' : 'stats.high')}</dt>
          <dd className="num">{quickPrice(high, places)}</dd>
        </div>
        <div>
          <dt>{t(ofDay ? 'stats.dayLow' : 'stats.low')}</dt>
          <dd className="num">{quickPrice(low, places)}</dd>
        </div>
        <div>
          <dt>{volume(quote.currency_name)}</dt>
          <dd className="num">{quickVolume(ticker?.volume ?? Number(quote.volume))}</dd>
        </div>
        {full && (
          <div>
            <dt>{volume(quote.legal_name)}</dt>
            <dd className="num">{quickVolume(ticker?.turnover ?? Number(quote.turnover))}</dd>
          </div>
        )}
      </dl>
      <MarketBadge quote={quote} />
    </div>
  );
});

function MarketBadge({ quote }: { quote: Quote }) {
  const { t } = useTranslation('trade');
  const connection = useConnection();
  const status = useMarketStatus(quote.symbol);
  const staleSeconds = useStaleSeconds(quote.symbol, quote.session);
  const online = useOnline();
  if (!status && connection.phase !== 'polling') {
    return <span className={css.connecting}>{t(online ? 'gate.connecting' : 'gate.offline')}</span>;
  }
  const source = status?.source ?? quote.source;
  // Outside of its hours a stock's price stands, and that is no fault; where it comes from is told as ever.
  if ((hoursOf(quote) ?? 'open') !== 'open') return source !== 'live' && <LiveBadge stale={false} source={source} />;
  return <LiveBadge stale={staleSeconds !== undefined} source={source} ageSeconds={staleSeconds} />;
}

/** Seconds options: will the index be higher or lower in a moment? Against the house, each with a proof of its result. */
import { useCallback, useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Empty, ErrorState, NavBar, OfflineState, Sheet, Skeleton, SkeletonRows } from '@/components/ui';
import type { Quote } from '@/lib/api/types';
import { useOnline } from '@/lib/online';
import { useScreen } from '@/lib/screen';
import { useToken } from '@/lib/session';
import { useSetAtom } from '@/lib/state';
import { Chart, PairHeader, Panes, useShownPair } from '@/trading';
import { useCoins, useTerms } from './api/desk';
import { type Option, useOpenOptions } from './api/options';
import { draftAtom } from './draft';
import { EntryForm, type EntryProps, Sides } from './EntryForm';
import { useOptionGate } from './gate';
import { IndexStats } from './IndexStats';
import { optionLines } from './lines';
import { OpenOptions } from './OpenOptions';
import { OptionSheet } from './OptionSheet';
import css from './OptionsPage.module.css';
import { useEndedToasts } from './useEndedToasts';

const offers = (row: Quote): boolean => row.open_microtrade === 1;

export default function OptionsPage() {
  const { t } = useTranslation('seconds');
  const { quote, quotes, query, setQuery, first } = useShownPair('options', offers);
  const token = useToken();
  const setDraft = useSetAtom(draftAtom);
  const coupon = Number(query.get('coupon')) || 0;
  useEffect(() => {
    if (coupon > 0) setDraft((draft) => ({ ...draft, coupon }));
  }, [coupon, setDraft]);
  const choose = useCallback((next: Quote) => setQuery({ symbol: next.symbol }, { replace: true }), [setQuery]);
  const symbol = quote?.symbol;
  // In the address, so that who comes back finds the option that runs.
  const show = useCallback(
    (id: number | undefined) =>
      symbol && setQuery({ symbol, ...(id !== undefined && { order: String(id) }) }, { replace: true }),
    [setQuery, symbol],
  );
  if (quote) {
    const order = token === '' ? undefined : Number(query.get('order')) || undefined;
    return (
      <Trading key={quote.symbol} quote={quote} shown={order} byCoupon={coupon > 0} onShow={show} onChoose={choose} />
    );
  }
  return (
    <>
      <NavBar noBack title={t('title')} />
      {quotes.data ? (
        <Empty
          title={t('unknown')}
          {...(first ? { action: { label: t('toTrade'), onClick: () => choose(first) } } : {})}
        />
      ) : quotes.error ? (
        <ErrorState error={quotes.error} onRetry={() => void quotes.refetch()} />
      ) : (
        <SkeletonRows rows={8} icon={false} />
      )}
    </>
  );
}

interface Props {
  quote: Quote;
  /** The option that is looked at. */
  shown: number | undefined;
  /** Who comes with a coupon finds the form open. */
  byCoupon: boolean;
  onShow(id: number | undefined): void;
  onChoose(quote: Quote): void;
}

function Trading({ quote, shown, byCoupon, onShow, onChoose }: Props) {
  const { t } = useTranslation('seconds');
  const gate = useOptionGate(quote.symbol);
  const open = useOpenOptions();
  const places = quote.precision_length;
  const lines = useLines(open.options, quote.symbol, gate.status?.index);
  useEndedToasts(shown);
  return (
    <>
      <Panes
        head={
          <>
            <PairHeader title={t('title')} offers={offers} quote={quote} onChoose={onChoose} />
            <IndexStats quote={quote} {...gate} />
          </>
        }
        panes={[
          {
            place: 'chart',
            part: <Chart symbol={quote.symbol} tick={Number(quote.tick)} places={places} lines={lines} />,
          },
          {
            place: 'ticket',
            part: (
              <Entry
                quote={quote}
                gate={gate.gate}
                open={open.options?.length ?? 0}
                byCoupon={byCoupon}
                onEntered={(id) => onShow(id)}
              />
            ),
          },
          {
            place: 'orders',
            part: <OpenOptions match={quote.id} state={open} onOpen={({ id }) => onShow(id)} />,
          },
        ]}
      />
      <OptionSheet id={shown} listed={open.data?.find(({ id }) => id === shown)} onClose={() => onShow(undefined)} />
    </>
  );
}

/** The same list as long as nothing of it changes: the chart is told only then. */
function useLines(options: readonly Option[] | undefined, symbol: string, index: number | undefined) {
  const { t } = useTranslation('seconds');
  const lines = optionLines(options ?? [], symbol, index, t);
  const key = JSON.stringify(lines);
  // biome-ignore lint/correctness/useExhaustiveDependencies: by what the lines say.
  return useMemo(() => lines, [key]);
}

interface EntryPaneProps extends Pick<EntryProps, 'quote' | 'gate' | 'open'> {
  byCoupon: boolean;
  onEntered(id: number | undefined): void;
}

/** On a phone two buttons that open the form; where there is room the form itself. */
function Entry({ quote, gate, open, byCoupon, onEntered }: EntryPaneProps) {
  const { t } = useTranslation('seconds');
  const roomy = useScreen() !== 'phone';
  const { terms, error, refetch } = useTerms(quote.id);
  const coins = useCoins();
  const setDraft = useSetAtom(draftAtom);
  const [entering, setEntering] = useState(byCoupon);
  useEffect(() => {
    if (roomy) setEntering(false);
  }, [roomy]);
  const coin = coins.data?.find(({ id }) => id === quote.legal_id) ?? coins.data?.[0];
  const failed = error ?? coins.error;
  if (!terms && failed) return <ErrorState error={failed} onRetry={() => void refetch()} />;
  if (!terms) return <FormSkeleton roomy={roomy} />;
  const props: EntryProps = {
    quote,
    gate,
    terms,
    coin,
    available: coin && coins.availableOf(coin),
    open,
    onEntered: (option) => {
      setEntering(false);
      onEntered(option?.id);
    },
  };
  if (roomy) return <EntryForm {...props} />;
  return (
    <>
      <Sides
        gate={gate}
        terms={terms}
        onChoose={(type) => {
          setDraft((draft) => ({ ...draft, type }));
          setEntering(true);
        }}
      />
      <Sheet open={entering} onClose={() => setEntering(false)} title={t('entry.title', { pair: quote.symbol })}>
        <EntryForm {...props} />
      </Sheet>
    </>
  );
}

const ROWS = [44, 76, 78, 36, 120, 90, 48] as const;

function FormSkeleton({ roomy }: { roomy: boolean }) {
  const { t } = useTranslation();
  const online = useOnline();
  if (!online) return <OfflineState />;
  return (
    <div role="status" aria-label={t('loading')} className={css.skeleton}>
      {(roomy ? ROWS : ROWS.slice(3, 5)).map((height) => (
        <Skeleton key={height} height={height} />
      ))}
    </div>
  );
}

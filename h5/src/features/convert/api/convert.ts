/** The calls of conversion: coins, quotes, conversions, small balances, records. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { call, fetchMessage } from '@/lib/api/client';
import { TransportError } from '@/lib/api/errors';
import { type Fate, useMoneyRequest } from '@/lib/api/money';
import { usePaged } from '@/lib/api/paged';
import {
  type Conversion,
  type ConversionDust,
  type ConversionQuote,
  type ConvertConvertFields,
  type ConvertQuoteFields,
  convertConvert,
  convertConvertDust,
  convertDust,
  convertHistory,
  convertList,
  convertQuote,
} from '@/lib/api/schema/convertCalls';
import type { Dec } from '@/lib/api/types';
import { WALLETS_KEY } from '@/lib/api/wallets';
import { useAccount, walletKey } from '@/lib/market';
import { currentToken } from '@/lib/session';

export type { Conversion, ConversionDust };

/** A quote holds for so long from its issue (docs/rules/convert.md "Quotes"). */
export const QUOTE_MS = 10_000;
const POLL_MS = 3_000;
/** The quote is over, or was moved away from. */
export const PRICE_CHANGED = 1019;

const KEY = ['convert'];

export interface Coin {
  id: number;
  name: string;
  logo: string;
  available: Dec;
}

/** Of a conversion, in USDT. */
export interface Limits {
  min: Dec;
  max: Dec;
}

/** What may be converted. The account's own events are newer than the list: their figures win. */
export function useConvertible() {
  const { wallets } = useAccount();
  const query = useQuery({
    queryKey: [...KEY, 'list'],
    queryFn: ({ signal }) => fetchMessage(convertList, {}, signal),
    meta: { private: true },
  });
  const { data } = query;
  const coins = useMemo(
    () =>
      data?.transfer.map(({ id, name, logo }): Coin => {
        const listed = data.wallet.find(({ currency }) => currency === id)?.change_balance;
        return { id, name, logo, available: wallets[walletKey('change', id)]?.available ?? listed ?? '0' };
      }),
    [data, wallets],
  );
  return { ...query, coins };
}

export interface Quote extends ConversionQuote {
  untilMs: number;
}

/** It was issued after it was asked for: counted from there it is never over later, whatever the device's clock says. */
async function ask(fields: ConvertQuoteFields, signal: AbortSignal): Promise<Quote> {
  const untilMs = Date.now() + QUOTE_MS;
  return { ...(await fetchMessage(convertQuote, fields, signal)), untilMs };
}

/** The quote of a pair, asked for again every 3 s while the page is seen. */
export const useQuote = (from: number, to: number, wanted: boolean) =>
  useQuery({
    queryKey: [...KEY, 'quote', from, to],
    queryFn: ({ signal }) => ask({ from_currency_id: from, to_currency_id: to }, signal),
    enabled: wanted,
    staleTime: POLL_MS,
    refetchInterval: POLL_MS,
    meta: { private: true },
  });

/** The quote that somebody is about to accept: it stays as it is until it is over. Each offer has its own. */
export const useFirmQuote = (offer: number, fields: ConvertQuoteFields, wanted: boolean) =>
  useQuery({
    queryKey: [...KEY, 'firm', offer, fields],
    queryFn: ({ signal }) => ask(fields, signal),
    enabled: wanted,
    gcTime: 0,
    refetchInterval: QUOTE_MS,
    refetchOnWindowFocus: false,
    meta: { private: true },
  });

const AGAIN_MS = 2_000;
const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Whether a record is the conversion that these fields ask for: a quote's id begins with the numbers of its two ticks. */
const isOf = (row: Conversion, fields: ConvertConvertFields): boolean =>
  row.from_currency_id === fields.from_currency_id &&
  row.to_currency_id === fields.to_currency_id &&
  row.number === fields.number &&
  fields.quote_id?.startsWith(`${row.form_seq}-${row.to_seq}-`) === true;

/**
 * What became of a conversion whose answer was lost. Its key is its quote, which `/coin/request` does not know: the same
 * request again gets the first answer and moves nothing. Once the quote is over it is refused, unless it was carried
 * out; of a server that started anew in between, which has forgotten its quotes, the records tell.
 */
async function fateOfConversion(fields: ConvertConvertFields, signal: AbortSignal): Promise<Fate> {
  const token = currentToken();
  for (;;) {
    await wait(AGAIN_MS);
    if (signal.aborted || currentToken() !== token) throw new TransportError('aborted');
    try {
      const reply = await call(convertConvert, fields, { quiet: true, signal });
      if (reply.ok) return { kind: 'done' };
      if (reply.code !== PRICE_CHANGED) continue;
      const { data } = await fetchMessage(convertHistory, {}, signal);
      return { kind: data.some((row) => isOf(row, fields)) ? 'done' : 'not_received' };
    } catch (cause) {
      if (cause instanceof TransportError && cause.kind === 'aborted') throw cause;
    }
  }
}

export const useConvert = () => useMoneyRequest(convertConvert, fateOfConversion);

export const useDust = () =>
  useQuery({
    queryKey: [...KEY, 'dust'],
    queryFn: ({ signal }) => fetchMessage(convertDust, {}, signal),
    refetchInterval: QUOTE_MS,
    meta: { private: true },
  });

export const useConvertDust = () => useMoneyRequest(convertConvertDust);

export const useRecords = () => usePaged(convertHistory, {}, (message) => message.data);

/** Reads everything again that a conversion changes. */
export function useRenewal() {
  const client = useQueryClient();
  return useCallback(() => {
    for (const queryKey of [KEY, WALLETS_KEY, ['paged']]) void client.invalidateQueries({ queryKey });
  }, [client]);
}

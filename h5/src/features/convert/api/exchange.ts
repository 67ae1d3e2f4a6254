/** What accepts a quote, and what is read again after it. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { call, fetchMessage } from '@/lib/api/client';
import { TransportError } from '@/lib/api/errors';
import { type Fate, useMoneyRequest } from '@/lib/api/money';
import {
  type Conversion,
  type ConvertConvertFields,
  type ConvertQuoteFields,
  convertConvert,
  convertHistory,
} from '@/lib/api/schema/convertCalls';
import { WALLETS_KEY } from '@/lib/api/wallets';
import { currentToken } from '@/lib/session';
import { ask, KEY, QUOTE_MS } from './convert';

/** The quote is over, or the price moved away from it. */
export const PRICE_CHANGED = 1019;

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

/** Reads everything again that a conversion changes. */
export function useRenewal() {
  const client = useQueryClient();
  return useCallback(() => {
    for (const queryKey of [KEY, WALLETS_KEY, ['paged']]) void client.invalidateQueries({ queryKey });
  }, [client]);
}

/** The calls of a contract's own book: its rules, own positions and orders, funding, and what is done there. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { command, fetchMessage, type Reply } from '@/lib/api/client';
import { requestKey, useMoneyRequest } from '@/lib/api/money';
import {
  type ContractBook,
  type ContractMarginFields,
  type ContractPreviewFields,
  type ContractTermsFields,
  contractBook,
  contractCancel,
  contractCancelAll,
  contractFunding,
  contractInsurance,
  contractMargin,
  contractOrder,
  contractOrders,
  contractPositions,
  contractPreview,
  contractTerms,
} from '@/lib/api/schema/contractCalls';
import { Decimal } from '@/lib/decimal';
import { useConnection, usePrivateEvents } from '@/lib/market';
import { useToken } from '@/lib/session';
import { toast } from '@/lib/toast';
import type { StopChange } from '../pro/stops';
import { type ContractNames, namesOf, type Pair } from '../rules';

export type {
  ContractOrder as BookOrder,
  ContractOrderFields as NewOrderFields,
  ContractPosition as Position,
  ContractPreview as Preview,
  ContractPreviewFields as OrderFields,
} from '@/lib/api/schema/contractCalls';

const POLL_MS = 5_000;
const SLOW_POLL_MS = 30_000;

export const proKey = ['contract', 'pro'];

export interface BookRules extends ContractNames {
  tick: Decimal;
  lot: Decimal;
  priceDecimals: number;
  amountDecimals: number;
  maxAmount: Decimal;
  /** Of the value, the higher of both, as a fraction. */
  fee: Decimal;
  staleAfterMs: number;
  multiple: number;
  maxMultiple: number;
  mode: ContractBook['margin_mode'];
  hedge: boolean;
  fundingRate: string;
  nextFundingMs: number;
  last: string | null;
}

export function bookRules(book: ContractBook, pair: Pair): BookRules {
  const [tick, lot] = [new Decimal(book.tick), new Decimal(book.lot)];
  return {
    ...namesOf(pair),
    tick,
    lot,
    priceDecimals: tick.decimalPlaces(),
    amountDecimals: lot.decimalPlaces(),
    maxAmount: new Decimal(book.max_amount),
    fee: Decimal.max(book.maker_fee, book.taker_fee).div(100),
    staleAfterMs: book.stale_after_ms,
    multiple: book.multiple,
    maxMultiple: book.max_multiple,
    mode: book.margin_mode,
    hedge: book.hedge,
    fundingRate: book.funding_rate,
    nextFundingMs: book.next_funding_ms,
    last: book.last,
  };
}

export const named = (pair: Pick<Pair, 'currency_id' | 'legal_id'>) => ({
  currency_id: pair.currency_id,
  legal_id: pair.legal_id,
});

export function useBookRules(pair: Pair) {
  const token = useToken();
  const query = useQuery({
    queryKey: [...proKey, 'book', pair.currency_id, pair.legal_id, token !== ''],
    queryFn: ({ signal }) => fetchMessage(contractBook, named(pair), signal),
    refetchInterval: POLL_MS,
    meta: { private: true },
  });
  const { data } = query;
  const rules = useMemo(() => data && bookRules(data, pair), [data, pair]);
  return { rules, error: query.error, retry: () => void query.refetch() };
}

/** Own positions of all contracts, and what there is in the wallet. */
export function usePositions() {
  const token = useToken();
  const query = useQuery({
    queryKey: [...proKey, 'positions'],
    queryFn: ({ signal }) => fetchMessage(contractPositions, {}, signal),
    enabled: token !== '',
    refetchInterval: POLL_MS,
    meta: { private: true },
  });
  return { ...query, positions: query.data?.positions ?? [], balances: query.data?.balances ?? [] };
}

/** Own open orders, of one contract or of all. */
export function useOrders(pair: Pair | undefined, wanted = true) {
  const token = useToken();
  const { privateLive } = useConnection();
  return useQuery({
    queryKey: [...proKey, 'orders', pair?.currency_id, pair?.legal_id],
    queryFn: ({ signal }) => fetchMessage(contractOrders, pair ? named(pair) : {}, signal),
    enabled: token !== '' && wanted,
    refetchInterval: privateLive ? SLOW_POLL_MS : POLL_MS,
    meta: { private: true },
  });
}

export function useFunding(pair: Pair) {
  const token = useToken();
  return useQuery({
    queryKey: [...proKey, 'funding', pair.currency_id, pair.legal_id, token !== ''],
    queryFn: ({ signal }) => fetchMessage(contractFunding, named(pair), signal),
    refetchInterval: SLOW_POLL_MS,
    meta: { private: true },
  });
}

export const useInsurance = () =>
  useQuery({
    queryKey: [...proKey, 'insurance'],
    queryFn: ({ signal }) => fetchMessage(contractInsurance, {}, signal),
    refetchInterval: SLOW_POLL_MS,
  });

const PREVIEW_MS = 2_000;

/** What an order would come to, asked again while it is looked at; nothing without fields. */
export const usePreview = (fields: ContractPreviewFields | undefined) =>
  useQuery({
    queryKey: [...proKey, 'preview', fields],
    queryFn: ({ signal }) => fetchMessage(contractPreview, fields as ContractPreviewFields, signal),
    enabled: fields !== undefined,
    refetchInterval: PREVIEW_MS,
    retry: false,
    gcTime: 0,
    meta: { private: true },
  });

/** Places an order, and tells what became of it however the answer got lost. */
export const usePlaceOrder = () => useMoneyRequest(contractOrder);

/** Asks for positions, orders and rules anew when an event says that they changed. */
export function useFreshBook(): void {
  const client = useQueryClient();
  usePrivateEvents(({ event }) => {
    if (event.startsWith('contract_')) void client.invalidateQueries({ queryKey: proKey });
  });
}

/** What is done beside orders: what is on its way, and what was said of it. */
export function useProCommands() {
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const run = useCallback(
    async (ask: () => Promise<Reply<string, unknown>>): Promise<boolean> => {
      setBusy(true);
      const reply = await ask();
      setBusy(false);
      if (reply.ok) toast.success(reply.message);
      void client.invalidateQueries({ queryKey: proKey });
      return reply.ok;
    },
    [client],
  );
  const key = () => ({ key: requestKey() });
  /** A stop goes only after the one instead of it waits; the first refusal ends it. */
  async function changeStops(changes: readonly StopChange[]): Promise<boolean> {
    for (const { place, cancel } of changes) {
      if (place && !(await command(contractOrder, place, key())).ok) return false;
      for (const id of cancel) if (!(await command(contractCancel, { id }, key())).ok) return false;
    }
    return true;
  }
  return {
    busy,
    cancel: (id: number) => run(() => command(contractCancel, { id }, key())),
    cancelAll: (pair: Pair) => run(() => command(contractCancelAll, named(pair), key())),
    setTerms: (fields: ContractTermsFields) => run(() => command(contractTerms, fields, key())),
    setStops: async (changes: readonly StopChange[], said: string): Promise<boolean> => {
      setBusy(true);
      const done = await changeStops(changes);
      // What is tried again is held against the orders of now.
      await client.invalidateQueries({ queryKey: proKey });
      setBusy(false);
      if (done && changes.length > 0) toast.success(said);
      return done;
    },
    moveMargin: (fields: ContractMarginFields) => run(() => command(contractMargin, fields, key())),
  };
}

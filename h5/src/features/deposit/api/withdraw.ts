/** Asking for a withdrawal, until it is known what became of it. */
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import { fetchMessage } from '@/lib/api/client';
import { TransportError } from '@/lib/api/errors';
import { type Fate, useMoneyRequest } from '@/lib/api/money';
import { type Confirmation, quietSurety } from '@/lib/api/safe';
import { type Withdrawal, type WithdrawOutFields, withdrawList, withdrawOut } from '@/lib/api/schema/withdrawCalls';
import { WALLETS_KEY } from '@/lib/api/wallets';
import { serverNow } from '@/lib/market';
import { currentToken } from '@/lib/session';
import { QUOTE_KEY, type WithdrawQuote } from './quote';

/** The terms are others than those of the quote. */
export const TERMS_CHANGED = 1019;

/** What the newest page holds is enough to find what was asked for a moment ago. */
const LOOKED_AT = 20;
const LOOK_AGAIN_MS = 2_000;
/** A request may still be on its way: only this many looks in vain mean that it never arrived. */
const LOOKS = 4;
/** The clocks of this device and of the server are compared no more exactly than this. */
const CLOCK_MS = 5_000;

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

type Asked = Pick<WithdrawOutFields, 'currency' | 'number' | 'address'>;

async function findAsked(asked: Asked, sinceMs: number, signal?: AbortSignal): Promise<Withdrawal | undefined> {
  const { data } = await fetchMessage(withdrawList, { page: 1, limit: LOOKED_AT }, signal);
  return data.find(
    (row) =>
      row.currency_id === Number(asked.currency) &&
      row.address === asked.address &&
      Number(row.number) === Number(asked.number) &&
      row.created_at_ms >= sinceMs - CLOCK_MS,
  );
}

/** A request whose answer was lost is looked for among the withdrawals: its proof is spent, it cannot be sent again. */
async function fateOf(asked: Asked, sinceMs: number, signal: AbortSignal): Promise<Fate> {
  const token = currentToken();
  for (let looked = 0; looked < LOOKS; ) {
    await wait(LOOK_AGAIN_MS);
    if (signal.aborted || currentToken() !== token) throw new TransportError('aborted');
    try {
      if (await findAsked(asked, sinceMs, signal)) return { kind: 'done' };
      looked += 1;
    } catch (cause) {
      if (cause instanceof TransportError && cause.kind === 'aborted') throw cause;
    }
  }
  return { kind: 'not_received' };
}

/** What became of a request to withdraw; `id` is unknown where the list could not be read afterwards. */
export type Result =
  | { kind: 'done'; id: number | undefined }
  | { kind: 'changed' }
  /** `spent`: what it was confirmed with was right, and a code is good once. */
  | { kind: 'refused'; why: string; spent: boolean }
  | { kind: 'not_received' };

/** Asks for a withdrawal at the terms of a quote. */
export function useWithdraw() {
  const client = useQueryClient();
  const sinceMs = useRef(0);
  const fate = useCallback(
    (fields: WithdrawOutFields, signal: AbortSignal) => fateOf(fields, sinceMs.current, signal),
    [],
  );
  const { phase, send } = useMoneyRequest(withdrawOut, fate, true);
  const [proving, setProving] = useState(false);

  async function withdraw(
    quote: WithdrawQuote,
    address: string,
    by: Confirmation,
    label: string,
  ): Promise<Result | null> {
    const { currency, network, number, version } = quote;
    setProving(true);
    const proved = await quietSurety({ action: 'withdraw', currency, network, address, number }, by);
    setProving(false);
    if ('why' in proved) return { kind: 'refused', why: proved.why, spent: false };
    sinceMs.current = serverNow();
    const asked = { currency, network, address, number };
    const outcome = await send({ ...asked, type: 0, version, ...proved.surety }, label);
    if (!outcome) return null;
    // Whatever became of it, what is shown is read again: that is what counts.
    for (const queryKey of [['paged'], [QUOTE_KEY], WALLETS_KEY]) void client.invalidateQueries({ queryKey });
    if (outcome.kind === 'not_received') return outcome;
    if (outcome.kind === 'refused') {
      const { code, text } = outcome;
      if (code === TERMS_CHANGED) return { kind: 'changed' };
      return { kind: 'refused', why: text, spent: true };
    }
    const made = await findAsked(asked, sinceMs.current).catch(() => undefined);
    return { kind: 'done', id: made?.id };
  }

  return { checking: phase === 'checking', busy: proving || phase !== 'idle', withdraw };
}

/** The five accounts' balances in one shape. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { addText, multiplyText } from '../decimalText';
import { type AccountState, useAccount, walletKey } from '../market';
import { useToken } from '../session';
import { fetchMessage } from './client';
import { type Wallets as WalletsMessage, walletAll } from './schema/walletCalls';
import type { Dec } from './shape';

export const ACCOUNTS = ['legal', 'change', 'lever', 'micro', 'earn'] as const;
export type AccountName = (typeof ACCOUNTS)[number];

/** Accounts between which a user moves funds; earn is none of them (docs/rules/accounts.md "Transfers"). */
export const TRANSFER_ACCOUNTS = ['legal', 'change', 'lever', 'micro'] as const;
export type TransferAccount = (typeof TRANSFER_ACCOUNTS)[number];

export interface Balance {
  account: AccountName;
  currency: number;
  name: string;
  logo: string;
  available: Dec;
  locked: Dec;
  /** USDT price of one unit. */
  price: Dec;
  /** Available and locked at that price. */
  worth: Dec;
}

/** What open positions make of the futures account. */
export interface Positions {
  /** Balance and the results of open positions, in USDT. */
  equity: Dec;
  unrealized: Dec;
  /** Percent, 50 is the end; "0" without a cross position. */
  riskRate: Dec;
}

export interface Wallets {
  positions: Positions;
  accounts: Record<AccountName, { balances: Balance[]; worth: Dec }>;
  worth: Dec;
}

type Row = WalletsMessage[`${AccountName}_wallet`]['balance'][number];

/** A row names its two figures after its account. */
const figure = (row: Row, name: string): Dec => (row as unknown as Record<string, Dec>)[name] ?? '0';

function balanceOf(account: AccountName, row: Row): Balance {
  const available = figure(row, `${account}_balance`);
  const locked = figure(row, `lock_${account}_balance`);
  return {
    account,
    currency: row.currency,
    name: row.currency_name,
    logo: row.logo,
    available,
    locked,
    price: row.usdt_price,
    worth: multiplyText(addText(available, locked), row.usdt_price),
  };
}

const sum = (values: readonly Dec[]): Dec => values.reduce((total, value) => addText(total, value), '0');

export function readWallets(message: WalletsMessage): Wallets {
  const accounts = Object.fromEntries(
    ACCOUNTS.map((account) => {
      const balances = message[`${account}_wallet`].balance.map((row) => balanceOf(account, row));
      return [account, { balances, worth: sum(balances.map((balance) => balance.worth)) }];
    }),
  ) as Wallets['accounts'];
  const { equity, unrealized, risk_rate } = message;
  const positions = { equity, unrealized, riskRate: risk_rate };
  return { accounts, worth: sum(ACCOUNTS.map((account) => accounts[account].worth)), positions };
}

/** The account's own events are newer than any list: their figures win. */
export function withEvents(wallets: Wallets, state: AccountState): Wallets {
  if (state.seq === undefined) return wallets;
  const accounts = Object.fromEntries(
    ACCOUNTS.map((account) => {
      const balances = wallets.accounts[account].balances.map((balance) => {
        const event = state.wallets[walletKey(account, balance.currency)];
        if (!event) return balance;
        const { available, locked } = event;
        return { ...balance, available, locked, worth: multiplyText(addText(available, locked), balance.price) };
      });
      return [account, { balances, worth: sum(balances.map((balance) => balance.worth)) }];
    }),
  ) as Wallets['accounts'];
  const worth = sum(ACCOUNTS.map((account) => accounts[account].worth));
  if (!state.lever) return { accounts, worth, positions: wallets.positions };
  const { profits, riskRate } = state.lever;
  const positions = { equity: addText(accounts.lever.worth, profits), unrealized: profits, riskRate };
  return { accounts, worth, positions };
}

export const WALLETS_KEY = ['wallets'] as const;

export function useWallets() {
  const token = useToken();
  const state = useAccount();
  const query = useQuery({
    queryKey: WALLETS_KEY,
    queryFn: ({ signal }) => fetchMessage(walletAll, {}, signal),
    select: readWallets,
    enabled: token !== '',
    refetchInterval: 30_000,
    meta: { private: true },
  });
  const wallets = useMemo(() => query.data && withEvents(query.data, state), [query.data, state]);
  return { ...query, wallets };
}

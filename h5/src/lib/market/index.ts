/** Market data and private events for screens. The socket, the books and the candles live in a worker behind it. */
export { type AccountState, freshest, openOrders, walletKey } from './account';
export { PERIODS, type Period } from './candles';
export { serverNow, useServerNow } from './clock';
export type { ArrivedDeposit } from './events/deposit';
export type { MovedWithdrawal } from './events/withdrawal';
export {
  useAccount,
  useBook,
  useConnection,
  useContract,
  useContracts,
  useMarketStatus,
  usePrivateEvents,
  useTicker,
  useTickers,
  useTrades,
} from './hooks';
export { marketClient } from './instance';
export { isOpen, STATUS_NAMES, stateOf } from './orders';
export { countRender } from './renders';
export { bookSymbol, marketSymbol, ofBook } from './symbols';
export { topicKey } from './topics';
export type {
  BookLevel,
  BookView,
  Candle,
  CandleFeed,
  ConnectionPhase,
  ConnectionState,
  ContractFace,
  ContractMap,
  MarketPhase,
  MarketStatus,
  OrderFill,
  OrderRow,
  PriceSource,
  PrivateEvent,
  StatusMap,
  Ticker,
  TickerMap,
  Trade,
  WalletRow,
} from './types';
export { useCandles } from './useCandles';

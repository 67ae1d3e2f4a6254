/** "BTC/USDT", "btcusdt" and "BTCUSDT" name the same market; payloads and slices use the last form. */
export function marketSymbol(symbol: string): string {
  return symbol.replace(/[^0-9a-z_]/gi, '').toUpperCase();
}

const BOOK = '_PERP';

/** A contract's own book, which has streams of its own beside those of the pair's market. */
export const bookSymbol = (pair: string): string => `${pair}${BOOK}`;

/** The pair of a market or of a contract's book, and which of both it is. */
export function ofBook(symbol: string): { pair: string; contract: boolean } {
  const contract = symbol.toUpperCase().endsWith(BOOK);
  return { pair: contract ? symbol.slice(0, -BOOK.length) : symbol, contract };
}

/** Stream names are lower case. */
export function streamSymbol(symbol: string): string {
  return marketSymbol(symbol).toLowerCase();
}

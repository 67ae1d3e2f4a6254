/** "BTC/USDT", "btcusdt" and "BTCUSDT" name the same market; payloads and slices use the last form. */
export function marketSymbol(symbol: string): string {
  return symbol.replace(/[^0-9a-z]/gi, '').toUpperCase();
}

/** Stream names are lower case. */
export function streamSymbol(symbol: string): string {
  return marketSymbol(symbol).toLowerCase();
}

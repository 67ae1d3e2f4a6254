-- Candles of every market and period, written by the market data view together with how far it has come.

CREATE TABLE candles (
    market            INTEGER NOT NULL,
    period            INTEGER NOT NULL, -- seconds; a calendar month is 2,592,000 by agreement
    open_ms           INTEGER NOT NULL,
    open_whole        INTEGER NOT NULL,
    open_frac         INTEGER NOT NULL,
    high_whole        INTEGER NOT NULL,
    high_frac         INTEGER NOT NULL,
    low_whole         INTEGER NOT NULL,
    low_frac          INTEGER NOT NULL,
    close_whole       INTEGER NOT NULL,
    close_frac        INTEGER NOT NULL,
    volume_whole      INTEGER NOT NULL,
    volume_frac       INTEGER NOT NULL,
    total_whole       INTEGER NOT NULL, -- volume in quote
    total_frac        INTEGER NOT NULL,
    taker_buy_whole   INTEGER NOT NULL, -- the part of the volume in which the taker bought
    taker_buy_frac    INTEGER NOT NULL,
    taker_total_whole INTEGER NOT NULL,
    taker_total_frac  INTEGER NOT NULL,
    trades            INTEGER NOT NULL,
    first_trade       INTEGER NOT NULL,
    last_trade        INTEGER NOT NULL,
    PRIMARY KEY (market, period, open_ms)
) STRICT, WITHOUT ROWID;

CREATE TABLE candle_watermark (
    cell INTEGER NOT NULL PRIMARY KEY,
    lsn  INTEGER NOT NULL
) STRICT;

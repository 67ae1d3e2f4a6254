-- Candles of every market and period, written by the market data view together with how far it has come.

CREATE TABLE candles (
    market            BIGINT NOT NULL,
    period            BIGINT NOT NULL, -- seconds; a calendar month is 2,592,000 by agreement
    open_ms           BIGINT NOT NULL,
    open_whole        BIGINT NOT NULL,
    open_frac         BIGINT NOT NULL,
    high_whole        BIGINT NOT NULL,
    high_frac         BIGINT NOT NULL,
    low_whole         BIGINT NOT NULL,
    low_frac          BIGINT NOT NULL,
    close_whole       BIGINT NOT NULL,
    close_frac        BIGINT NOT NULL,
    volume_whole      BIGINT NOT NULL,
    volume_frac       BIGINT NOT NULL,
    total_whole       BIGINT NOT NULL, -- volume in quote
    total_frac        BIGINT NOT NULL,
    taker_buy_whole   BIGINT NOT NULL, -- the part of the volume in which the taker bought
    taker_buy_frac    BIGINT NOT NULL,
    taker_total_whole BIGINT NOT NULL,
    taker_total_frac  BIGINT NOT NULL,
    trades            BIGINT NOT NULL,
    first_trade       BIGINT NOT NULL,
    last_trade        BIGINT NOT NULL,
    PRIMARY KEY (market, period, open_ms)
);

CREATE TABLE candle_watermark (
    cell BIGINT NOT NULL PRIMARY KEY,
    lsn  BIGINT NOT NULL
);

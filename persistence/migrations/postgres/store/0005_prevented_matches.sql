-- What of an order self-trade prevention took, and the last match that did; NULL where it took nothing, or the journal does not
-- tell.
ALTER TABLE orders ADD COLUMN prevented_lots BIGINT;
ALTER TABLE orders ADD COLUMN prevented_by BIGINT;

-- Matches of an account's orders with each other that were prevented.
CREATE TABLE prevented_matches (
    market         BIGINT NOT NULL,
    prevented      BIGINT NOT NULL, -- its number in the market
    account        BIGINT NOT NULL,
    taker          BIGINT NOT NULL, -- the order that came in
    maker          BIGINT NOT NULL, -- the order that rested
    base           BIGINT NOT NULL,
    quote          BIGINT NOT NULL,
    lot_units      BIGINT NOT NULL,
    tick_lot_units BIGINT NOT NULL,
    stp            BIGINT NOT NULL,
    ticks          BIGINT NOT NULL,
    taker_lots     BIGINT NOT NULL, -- what each of them lost
    maker_lots     BIGINT NOT NULL,
    lots           BIGINT NOT NULL, -- what they would have traded
    time_ns        BIGINT NOT NULL,
    PRIMARY KEY (market, prevented)
);
CREATE INDEX prevented_matches_by_account ON prevented_matches (account, market, prevented);

-- What of an order self-trade prevention took, and the last match that did; NULL where it took nothing, or the journal does not
-- tell.
ALTER TABLE orders ADD COLUMN prevented_lots INTEGER;
ALTER TABLE orders ADD COLUMN prevented_by INTEGER;

-- Matches of an account's orders with each other that were prevented.
CREATE TABLE prevented_matches (
    market         INTEGER NOT NULL,
    prevented      INTEGER NOT NULL, -- its number in the market
    account        INTEGER NOT NULL,
    taker          INTEGER NOT NULL, -- the order that came in
    maker          INTEGER NOT NULL, -- the order that rested
    base           INTEGER NOT NULL,
    quote          INTEGER NOT NULL,
    lot_units      INTEGER NOT NULL,
    tick_lot_units INTEGER NOT NULL,
    stp            INTEGER NOT NULL,
    ticks          INTEGER NOT NULL,
    taker_lots     INTEGER NOT NULL, -- what each of them lost
    maker_lots     INTEGER NOT NULL,
    lots           INTEGER NOT NULL, -- what they would have traded
    time_ns        INTEGER NOT NULL,
    PRIMARY KEY (market, prevented)
) STRICT, WITHOUT ROWID;
CREATE INDEX prevented_matches_by_account ON prevented_matches (account, market, prevented);

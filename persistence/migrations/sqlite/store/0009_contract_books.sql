-- Orders in contracts' books, as their owners see them.
CREATE TABLE leg_orders (
    order_id    INTEGER NOT NULL PRIMARY KEY,
    account     INTEGER NOT NULL,
    contract    INTEGER NOT NULL,
    settle      INTEGER NOT NULL,
    lot_whole   INTEGER NOT NULL,
    lot_frac    INTEGER NOT NULL,
    tick_whole  INTEGER NOT NULL,
    tick_frac   INTEGER NOT NULL,
    side        INTEGER NOT NULL,
    leg         INTEGER NOT NULL, -- 1 the only position, 2 the long, 3 the short one
    kind        INTEGER NOT NULL,
    tif         INTEGER NOT NULL,
    stp         INTEGER NOT NULL,
    reduce_only INTEGER NOT NULL,
    ticks       INTEGER NOT NULL,
    lots        INTEGER NOT NULL,
    open_lots   INTEGER NOT NULL,
    filled_lots INTEGER NOT NULL,
    spent_whole INTEGER NOT NULL,
    spent_frac  INTEGER NOT NULL,
    status      INTEGER NOT NULL,
    reason      INTEGER NOT NULL,
    client_id   TEXT,
    created_ns  INTEGER NOT NULL,
    updated_ns  INTEGER NOT NULL
) STRICT;

CREATE INDEX leg_orders_of ON leg_orders (account, created_ns, order_id);

-- Each trade of a contract's book twice: the taker's side of it, and the maker's.
CREATE TABLE leg_fills (
    contract     INTEGER NOT NULL,
    trade        INTEGER NOT NULL,
    maker        INTEGER NOT NULL,
    account      INTEGER NOT NULL,
    order_id     INTEGER NOT NULL,
    settle       INTEGER NOT NULL,
    lot_whole    INTEGER NOT NULL,
    lot_frac     INTEGER NOT NULL,
    tick_whole   INTEGER NOT NULL,
    tick_frac    INTEGER NOT NULL,
    side         INTEGER NOT NULL,
    leg          INTEGER NOT NULL,
    ticks        INTEGER NOT NULL,
    lots         INTEGER NOT NULL,
    price_whole  INTEGER NOT NULL,
    price_frac   INTEGER NOT NULL,
    value_whole  INTEGER NOT NULL,
    value_frac   INTEGER NOT NULL,
    result_whole INTEGER NOT NULL, -- what closing gained
    result_frac  INTEGER NOT NULL,
    fee_whole    INTEGER NOT NULL,
    fee_frac     INTEGER NOT NULL,
    time_ns      INTEGER NOT NULL,
    PRIMARY KEY (contract, trade, maker)
) STRICT;

CREATE INDEX leg_fills_of ON leg_fills (account, time_ns, trade, maker);

-- Positions in contracts' books; one that was closed has no lots.
CREATE TABLE legs (
    account             INTEGER NOT NULL,
    leg                 INTEGER NOT NULL,
    contract            INTEGER NOT NULL,
    settle              INTEGER NOT NULL,
    lot_whole           INTEGER NOT NULL,
    lot_frac            INTEGER NOT NULL,
    tick_whole          INTEGER NOT NULL,
    tick_frac           INTEGER NOT NULL,
    direction           INTEGER NOT NULL,
    lots                INTEGER NOT NULL,
    cost_whole          INTEGER NOT NULL, -- notional value at entry
    cost_frac           INTEGER NOT NULL,
    mode                INTEGER NOT NULL,
    margin_whole        INTEGER NOT NULL, -- nothing of a cross position
    margin_frac         INTEGER NOT NULL,
    multiple            INTEGER NOT NULL,
    funding_index_whole INTEGER NOT NULL, -- up to which it has paid
    funding_index_frac  INTEGER NOT NULL,
    updated_ns          INTEGER NOT NULL,
    PRIMARY KEY (account, contract, leg)
) STRICT;

-- Periods of funding that ended; what each position paid is in the ledger.
CREATE TABLE funding (
    contract      INTEGER NOT NULL,
    due_ns        INTEGER NOT NULL,
    rate_whole    INTEGER NOT NULL,
    rate_frac     INTEGER NOT NULL,
    mark_whole    INTEGER NOT NULL,
    mark_frac     INTEGER NOT NULL,
    per_lot_whole INTEGER NOT NULL, -- what a long lot paid
    per_lot_frac  INTEGER NOT NULL,
    reason        INTEGER NOT NULL,
    PRIMARY KEY (contract, due_ns)
) STRICT;

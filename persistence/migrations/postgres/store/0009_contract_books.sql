-- Orders in contracts' books, as their owners see them.
CREATE TABLE leg_orders (
    order_id    BIGINT NOT NULL PRIMARY KEY,
    account     BIGINT NOT NULL,
    contract    BIGINT NOT NULL,
    settle      BIGINT NOT NULL,
    lot_whole   BIGINT NOT NULL,
    lot_frac    BIGINT NOT NULL,
    tick_whole  BIGINT NOT NULL,
    tick_frac   BIGINT NOT NULL,
    side        BIGINT NOT NULL,
    leg         BIGINT NOT NULL, -- 1 the only position, 2 the long, 3 the short one
    kind        BIGINT NOT NULL,
    tif         BIGINT NOT NULL,
    stp         BIGINT NOT NULL,
    reduce_only BIGINT NOT NULL,
    ticks       BIGINT NOT NULL,
    lots        BIGINT NOT NULL,
    open_lots   BIGINT NOT NULL,
    filled_lots BIGINT NOT NULL,
    spent_whole BIGINT NOT NULL,
    spent_frac  BIGINT NOT NULL,
    status      BIGINT NOT NULL,
    reason      BIGINT NOT NULL,
    client_id   TEXT,
    created_ns  BIGINT NOT NULL,
    updated_ns  BIGINT NOT NULL
);

CREATE INDEX leg_orders_of ON leg_orders (account, created_ns, order_id);

-- Each trade of a contract's book twice: the taker's side of it, and the maker's.
CREATE TABLE leg_fills (
    contract     BIGINT NOT NULL,
    trade        BIGINT NOT NULL,
    maker        BIGINT NOT NULL,
    account      BIGINT NOT NULL,
    order_id     BIGINT NOT NULL,
    settle       BIGINT NOT NULL,
    lot_whole    BIGINT NOT NULL,
    lot_frac     BIGINT NOT NULL,
    tick_whole   BIGINT NOT NULL,
    tick_frac    BIGINT NOT NULL,
    side         BIGINT NOT NULL,
    leg          BIGINT NOT NULL,
    ticks        BIGINT NOT NULL,
    lots         BIGINT NOT NULL,
    price_whole  BIGINT NOT NULL,
    price_frac   BIGINT NOT NULL,
    value_whole  BIGINT NOT NULL,
    value_frac   BIGINT NOT NULL,
    result_whole BIGINT NOT NULL, -- what closing gained
    result_frac  BIGINT NOT NULL,
    fee_whole    BIGINT NOT NULL,
    fee_frac     BIGINT NOT NULL,
    time_ns      BIGINT NOT NULL,
    PRIMARY KEY (contract, trade, maker)
);

CREATE INDEX leg_fills_of ON leg_fills (account, time_ns, trade, maker);

-- Positions in contracts' books; one that was closed has no lots.
CREATE TABLE legs (
    account             BIGINT NOT NULL,
    leg                 BIGINT NOT NULL,
    contract            BIGINT NOT NULL,
    settle              BIGINT NOT NULL,
    lot_whole           BIGINT NOT NULL,
    lot_frac            BIGINT NOT NULL,
    tick_whole          BIGINT NOT NULL,
    tick_frac           BIGINT NOT NULL,
    direction           BIGINT NOT NULL,
    lots                BIGINT NOT NULL,
    cost_whole          BIGINT NOT NULL, -- notional value at entry
    cost_frac           BIGINT NOT NULL,
    mode                BIGINT NOT NULL,
    margin_whole        BIGINT NOT NULL, -- nothing of a cross position
    margin_frac         BIGINT NOT NULL,
    multiple            BIGINT NOT NULL,
    funding_index_whole BIGINT NOT NULL, -- up to which it has paid
    funding_index_frac  BIGINT NOT NULL,
    updated_ns          BIGINT NOT NULL,
    PRIMARY KEY (account, contract, leg)
);

-- Periods of funding that ended; what each position paid is in the ledger.
CREATE TABLE funding (
    contract      BIGINT NOT NULL,
    due_ns        BIGINT NOT NULL,
    rate_whole    BIGINT NOT NULL,
    rate_frac     BIGINT NOT NULL,
    mark_whole    BIGINT NOT NULL,
    mark_frac     BIGINT NOT NULL,
    per_lot_whole BIGINT NOT NULL, -- what a long lot paid
    per_lot_frac  BIGINT NOT NULL,
    reason        BIGINT NOT NULL,
    PRIMARY KEY (contract, due_ns)
);

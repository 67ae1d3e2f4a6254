-- The projection of the journals: every table here can be thrown away and rebuilt by replaying them.
--
-- An amount is two integers: `x_whole` whole coins and `x_frac` units of 1e-8, 0 to 99,999,999, so that
-- amount = whole + frac / 1e8 (a negative amount has a negative whole part: -0.5 is -1 and 50,000,000). Both sort as a
-- pair and sum exactly: sum(whole), sum(frac). Amounts of 1e-8 units alone do not fit into 64 bits.
-- Times are nanoseconds since the epoch, UTC. Enumerations are the permanent numbers of the engine's types.
-- Every number is a BIGINT, as SQLite knows no other: one set of statements serves both. Tables whose rows change in place
-- keep room in their pages, so that a change touches no index.

-- How far the rows go, in the same transaction as the rows.
CREATE TABLE checkpoint (
    cell    BIGINT NOT NULL PRIMARY KEY,
    epoch   BIGINT NOT NULL,
    lsn     BIGINT NOT NULL,
    time_ns BIGINT NOT NULL
);

CREATE TABLE assets (
    asset   BIGINT NOT NULL PRIMARY KEY,
    name    TEXT NOT NULL UNIQUE,
    wallets TEXT NOT NULL -- names of the wallets between which it may be transferred, with commas
);

CREATE TABLE markets (
    market     BIGINT NOT NULL PRIMARY KEY,
    version    BIGINT NOT NULL,
    symbol     TEXT NOT NULL UNIQUE,
    base       BIGINT NOT NULL,
    quote      BIGINT NOT NULL,
    tick_whole BIGINT NOT NULL,
    tick_frac  BIGINT NOT NULL,
    step_whole BIGINT NOT NULL,
    step_frac  BIGINT NOT NULL,
    params     BYTEA NOT NULL, -- all parameters, in the engine's byte form
    state      BIGINT,       -- empty until the first change of state
    reason     BIGINT
);

CREATE TABLE balances (
    account         BIGINT NOT NULL,
    wallet          BIGINT NOT NULL,
    asset           BIGINT NOT NULL,
    available_whole BIGINT NOT NULL,
    available_frac  BIGINT NOT NULL,
    locked_whole    BIGINT NOT NULL,
    locked_frac     BIGINT NOT NULL,
    PRIMARY KEY (account, wallet, asset)
) WITH (fillfactor = 70);

-- Every movement: changes of available and locked, and both after it.
CREATE TABLE ledger (
    id                    BIGINT NOT NULL PRIMARY KEY, -- in the order of the journal, without gaps
    account               BIGINT NOT NULL,
    wallet                BIGINT NOT NULL,
    asset                 BIGINT NOT NULL,
    log                   BIGINT NOT NULL,
    available_whole       BIGINT NOT NULL,
    available_frac        BIGINT NOT NULL,
    locked_whole          BIGINT NOT NULL,
    locked_frac           BIGINT NOT NULL,
    available_after_whole BIGINT NOT NULL,
    available_after_frac  BIGINT NOT NULL,
    locked_after_whole    BIGINT NOT NULL,
    locked_after_frac     BIGINT NOT NULL,
    reference             BIGINT NOT NULL,
    time_ns               BIGINT NOT NULL,
    cell                  BIGINT NOT NULL,
    lsn                   BIGINT NOT NULL
);
CREATE INDEX ledger_by_account ON ledger (account, id);
CREATE INDEX ledger_by_asset ON ledger (account, asset, id);

-- Users' orders, one row each, as they are now. Quotes of the house are not orders here.
CREATE TABLE orders (
    order_id       BIGINT NOT NULL PRIMARY KEY,
    account        BIGINT NOT NULL,
    market         BIGINT NOT NULL,
    base           BIGINT NOT NULL,
    quote          BIGINT NOT NULL,
    lot_units      BIGINT NOT NULL,
    tick_lot_units BIGINT NOT NULL,
    side           BIGINT NOT NULL,
    kind           BIGINT NOT NULL,
    tif            BIGINT NOT NULL,
    ticks          BIGINT NOT NULL,
    lots           BIGINT NOT NULL,
    budget_whole   BIGINT NOT NULL,
    budget_frac    BIGINT NOT NULL,
    open_lots      BIGINT NOT NULL,
    filled_lots    BIGINT NOT NULL,
    spent_whole    BIGINT NOT NULL,
    spent_frac     BIGINT NOT NULL,
    fee_whole      BIGINT NOT NULL,
    fee_frac       BIGINT NOT NULL,
    status         BIGINT NOT NULL,
    reason         BIGINT NOT NULL,
    client_id      TEXT,
    created_ns     BIGINT NOT NULL,
    updated_ns     BIGINT NOT NULL
) WITH (fillfactor = 80);
CREATE INDEX orders_by_account ON orders (account, created_ns, order_id);

-- One row a side of a trade. The fee is in what the side receives: base for buys, quote for sells.
CREATE TABLE fills (
    trade          BIGINT NOT NULL,
    maker          BIGINT NOT NULL, -- 1: the order rested
    account        BIGINT NOT NULL,
    order_id       BIGINT NOT NULL,
    market         BIGINT NOT NULL,
    base           BIGINT NOT NULL,
    quote          BIGINT NOT NULL,
    lot_units      BIGINT NOT NULL,
    tick_lot_units BIGINT NOT NULL,
    side           BIGINT NOT NULL,
    ticks          BIGINT NOT NULL,
    lots           BIGINT NOT NULL,
    price_whole    BIGINT NOT NULL,
    price_frac     BIGINT NOT NULL,
    amount_whole   BIGINT NOT NULL,
    amount_frac    BIGINT NOT NULL,
    total_whole    BIGINT NOT NULL, -- price times amount, in quote
    total_frac     BIGINT NOT NULL,
    fee_whole      BIGINT NOT NULL,
    fee_frac       BIGINT NOT NULL,
    fee_asset      BIGINT NOT NULL,
    time_ns        BIGINT NOT NULL,
    PRIMARY KEY (trade, maker)
);
CREATE INDEX fills_by_account ON fills (account, time_ns, trade, maker);
CREATE INDEX fills_by_order ON fills (order_id, time_ns, trade, maker);

-- The projection of the journals: every table here can be thrown away and rebuilt by replaying them.
--
-- An amount is two integers: `x_whole` whole coins and `x_frac` units of 1e-8, 0 to 99,999,999, so that
-- amount = whole + frac / 1e8 (a negative amount has a negative whole part: -0.5 is -1 and 50,000,000). Both sort as a
-- pair and sum exactly: sum(whole), sum(frac). Amounts of 1e-8 units alone do not fit into 64 bits.
-- Times are nanoseconds since the epoch, UTC. Enumerations are the permanent numbers of the engine's types.

-- How far the rows go, in the same transaction as the rows.
CREATE TABLE checkpoint (
    cell    INTEGER NOT NULL PRIMARY KEY,
    epoch   INTEGER NOT NULL,
    lsn     INTEGER NOT NULL,
    time_ns INTEGER NOT NULL
) STRICT;

CREATE TABLE assets (
    asset   INTEGER NOT NULL PRIMARY KEY,
    name    TEXT NOT NULL UNIQUE,
    wallets TEXT NOT NULL -- names of the wallets between which it may be transferred, with commas
) STRICT;

CREATE TABLE markets (
    market     INTEGER NOT NULL PRIMARY KEY,
    version    INTEGER NOT NULL,
    symbol     TEXT NOT NULL UNIQUE,
    base       INTEGER NOT NULL,
    quote      INTEGER NOT NULL,
    tick_whole INTEGER NOT NULL,
    tick_frac  INTEGER NOT NULL,
    step_whole INTEGER NOT NULL,
    step_frac  INTEGER NOT NULL,
    params     BLOB NOT NULL, -- all parameters, in the engine's byte form
    state      INTEGER,       -- empty until the first change of state
    reason     INTEGER
) STRICT;

CREATE TABLE balances (
    account         INTEGER NOT NULL,
    wallet          INTEGER NOT NULL,
    asset           INTEGER NOT NULL,
    available_whole INTEGER NOT NULL,
    available_frac  INTEGER NOT NULL,
    locked_whole    INTEGER NOT NULL,
    locked_frac     INTEGER NOT NULL,
    PRIMARY KEY (account, wallet, asset)
) STRICT, WITHOUT ROWID;

-- Every movement: changes of available and locked, and both after it. The house's setting money aside for quotes, and
-- taking it back, moves nothing between accounts and leaves no row.
CREATE TABLE ledger (
    id                    INTEGER NOT NULL PRIMARY KEY, -- in the order of the journal, without gaps
    account               INTEGER NOT NULL,
    wallet                INTEGER NOT NULL,
    asset                 INTEGER NOT NULL,
    log                   INTEGER NOT NULL,
    available_whole       INTEGER NOT NULL,
    available_frac        INTEGER NOT NULL,
    locked_whole          INTEGER NOT NULL,
    locked_frac           INTEGER NOT NULL,
    available_after_whole INTEGER NOT NULL,
    available_after_frac  INTEGER NOT NULL,
    locked_after_whole    INTEGER NOT NULL,
    locked_after_frac     INTEGER NOT NULL,
    reference             INTEGER NOT NULL,
    time_ns               INTEGER NOT NULL,
    cell                  INTEGER NOT NULL,
    lsn                   INTEGER NOT NULL
) STRICT;
CREATE INDEX ledger_by_account ON ledger (account, id);
CREATE INDEX ledger_by_asset ON ledger (account, asset, id);

-- Users' orders, one row each, as they are now. Quotes of the house are not orders here.
CREATE TABLE orders (
    order_id       INTEGER NOT NULL PRIMARY KEY,
    account        INTEGER NOT NULL,
    market         INTEGER NOT NULL,
    base           INTEGER NOT NULL,
    quote          INTEGER NOT NULL,
    lot_units      INTEGER NOT NULL,
    tick_lot_units INTEGER NOT NULL,
    side           INTEGER NOT NULL,
    kind           INTEGER NOT NULL,
    tif            INTEGER NOT NULL,
    ticks          INTEGER NOT NULL,
    lots           INTEGER NOT NULL,
    budget_whole   INTEGER NOT NULL,
    budget_frac    INTEGER NOT NULL,
    open_lots      INTEGER NOT NULL,
    filled_lots    INTEGER NOT NULL,
    spent_whole    INTEGER NOT NULL,
    spent_frac     INTEGER NOT NULL,
    fee_whole      INTEGER NOT NULL,
    fee_frac       INTEGER NOT NULL,
    status         INTEGER NOT NULL,
    reason         INTEGER NOT NULL,
    client_id      TEXT,
    created_ns     INTEGER NOT NULL,
    updated_ns     INTEGER NOT NULL
) STRICT;
CREATE INDEX orders_by_account ON orders (account, created_ns, order_id);

-- One row a side of a trade. The fee is in what the side receives: base for buys, quote for sells.
CREATE TABLE fills (
    trade          INTEGER NOT NULL,
    maker          INTEGER NOT NULL, -- 1: the order rested
    account        INTEGER NOT NULL,
    order_id       INTEGER NOT NULL,
    market         INTEGER NOT NULL,
    base           INTEGER NOT NULL,
    quote          INTEGER NOT NULL,
    lot_units      INTEGER NOT NULL,
    tick_lot_units INTEGER NOT NULL,
    side           INTEGER NOT NULL,
    ticks          INTEGER NOT NULL,
    lots           INTEGER NOT NULL,
    price_whole    INTEGER NOT NULL,
    price_frac     INTEGER NOT NULL,
    amount_whole   INTEGER NOT NULL,
    amount_frac    INTEGER NOT NULL,
    total_whole    INTEGER NOT NULL, -- price times amount, in quote
    total_frac     INTEGER NOT NULL,
    fee_whole      INTEGER NOT NULL,
    fee_frac       INTEGER NOT NULL,
    fee_asset      INTEGER NOT NULL,
    time_ns        INTEGER NOT NULL,
    PRIMARY KEY (trade, maker)
) STRICT, WITHOUT ROWID;
CREATE INDEX fills_by_account ON fills (account, time_ns, trade, maker);
CREATE INDEX fills_by_order ON fills (order_id, time_ns, trade, maker);

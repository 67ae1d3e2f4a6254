-- Tickets: positions against the house. What is empty until a ticket ended is empty.
CREATE TABLE tickets (
    ticket            INTEGER NOT NULL PRIMARY KEY,
    account           INTEGER NOT NULL,
    contract          INTEGER NOT NULL,
    settle            INTEGER NOT NULL,
    direction         INTEGER NOT NULL,
    mode              INTEGER NOT NULL,
    lots              INTEGER NOT NULL, -- hundredths
    base_whole        INTEGER NOT NULL,
    base_frac         INTEGER NOT NULL,
    multiple          INTEGER NOT NULL,
    price_whole       INTEGER NOT NULL,
    price_frac        INTEGER NOT NULL,
    origin_whole      INTEGER NOT NULL, -- margin at opening
    origin_frac       INTEGER NOT NULL,
    fee_whole         INTEGER NOT NULL,
    fee_frac          INTEGER NOT NULL,
    insurance_whole   INTEGER NOT NULL, -- the insurance's part of the fee
    insurance_frac    INTEGER NOT NULL,
    take_profit_whole INTEGER,
    take_profit_frac  INTEGER,
    stop_loss_whole   INTEGER,
    stop_loss_frac    INTEGER,
    target_whole      INTEGER, -- the index that opens a limit ticket
    target_frac       INTEGER,
    margin_whole      INTEGER NOT NULL,
    margin_frac       INTEGER NOT NULL,
    nights_whole      INTEGER NOT NULL, -- fees of nights so far
    nights_frac       INTEGER NOT NULL,
    created_ns        INTEGER NOT NULL,
    opened_ns         INTEGER NOT NULL, -- 0 while it waits
    closed_ns         INTEGER,
    reason            INTEGER, -- none of one that was cancelled
    index_whole       INTEGER,
    index_frac        INTEGER,
    result_whole      INTEGER,
    result_frac       INTEGER,
    credit_whole      INTEGER,
    credit_frac       INTEGER,
    unsettled_whole   INTEGER, -- change of the results wallet
    unsettled_frac    INTEGER,
    deficit_whole     INTEGER, -- what its owner could not pay
    deficit_frac      INTEGER
) STRICT;

CREATE INDEX tickets_of ON tickets (account, ticket);

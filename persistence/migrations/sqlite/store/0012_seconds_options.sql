-- Seconds options. What is empty until an option ended is empty.
CREATE TABLE seconds_options (
    option_id         INTEGER NOT NULL PRIMARY KEY,
    account           INTEGER NOT NULL,
    asset             INTEGER NOT NULL,
    side              INTEGER NOT NULL,
    stake_whole       INTEGER NOT NULL,
    stake_frac        INTEGER NOT NULL,
    fee_whole         INTEGER NOT NULL,
    fee_frac          INTEGER NOT NULL,
    ratio_ppm         INTEGER NOT NULL, -- what a win brings, of the stake
    open_seq          INTEGER NOT NULL, -- tick at which it was opened
    open_price_whole  INTEGER NOT NULL,
    open_price_frac   INTEGER NOT NULL,
    opened_ns         INTEGER NOT NULL,
    expires_ns        INTEGER NOT NULL,
    settled_ns        INTEGER,
    result            INTEGER,
    close_seq         INTEGER, -- tick that decided, 0 when none did
    close_price_whole INTEGER,
    close_price_frac  INTEGER,
    paid_whole        INTEGER,
    paid_frac         INTEGER
) STRICT;

CREATE INDEX seconds_options_of ON seconds_options (account, opened_ns, option_id);

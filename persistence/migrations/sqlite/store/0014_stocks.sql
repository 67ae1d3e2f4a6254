-- Corporate actions of stocks. What belongs to the other kind, or is still to come, is empty.
CREATE TABLE corporate_actions (
    market          INTEGER NOT NULL,
    action          INTEGER NOT NULL, -- its number, which grows with each action of the stock
    asset           INTEGER NOT NULL,
    quote           INTEGER NOT NULL,
    kind            INTEGER NOT NULL, -- 1 split, 2 dividend
    new_shares      INTEGER,
    old_shares      INTEGER,
    per_share_whole INTEGER,
    per_share_frac  INTEGER,
    withheld_ppm    INTEGER,
    announced_ns    INTEGER NOT NULL,
    set_ns          INTEGER, -- in force since
    board_lot_whole INTEGER,
    board_lot_frac  INTEGER,
    odd_price_whole INTEGER, -- of a share that is no whole board lot after a split
    odd_price_frac  INTEGER,
    done_ns         INTEGER, -- all holders went through it
    PRIMARY KEY (market, action)
) STRICT;

-- Accounts that went through one, a row a record.
CREATE TABLE applied_actions (
    lsn            INTEGER NOT NULL PRIMARY KEY,
    account        INTEGER NOT NULL,
    market         INTEGER NOT NULL,
    action         INTEGER NOT NULL,
    time_ns        INTEGER NOT NULL,
    before_whole   INTEGER NOT NULL,
    before_frac    INTEGER NOT NULL,
    after_whole    INTEGER NOT NULL,
    after_frac     INTEGER NOT NULL,
    odd_whole      INTEGER NOT NULL, -- shares that were paid for
    odd_frac       INTEGER NOT NULL,
    odd_cash_whole INTEGER NOT NULL,
    odd_cash_frac  INTEGER NOT NULL,
    gross_whole    INTEGER NOT NULL, -- the dividend
    gross_frac     INTEGER NOT NULL,
    withheld_whole INTEGER NOT NULL,
    withheld_frac  INTEGER NOT NULL
) STRICT;
CREATE INDEX applied_actions_of ON applied_actions (account, lsn);

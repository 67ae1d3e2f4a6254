-- Corporate actions of stocks. What belongs to the other kind, or is still to come, is empty.
CREATE TABLE corporate_actions (
    market          BIGINT NOT NULL,
    action          BIGINT NOT NULL, -- its number, which grows with each action of the stock
    asset           BIGINT NOT NULL,
    quote           BIGINT NOT NULL,
    kind            BIGINT NOT NULL, -- 1 split, 2 dividend
    new_shares      BIGINT,
    old_shares      BIGINT,
    per_share_whole BIGINT,
    per_share_frac  BIGINT,
    withheld_ppm    BIGINT,
    announced_ns    BIGINT NOT NULL,
    set_ns          BIGINT, -- in force since
    board_lot_whole BIGINT,
    board_lot_frac  BIGINT,
    odd_price_whole BIGINT, -- of a share that is no whole board lot after a split
    odd_price_frac  BIGINT,
    done_ns         BIGINT, -- all holders went through it
    PRIMARY KEY (market, action)
);

-- Accounts that went through one, a row a record.
CREATE TABLE applied_actions (
    lsn            BIGINT NOT NULL PRIMARY KEY,
    account        BIGINT NOT NULL,
    market         BIGINT NOT NULL,
    action         BIGINT NOT NULL,
    time_ns        BIGINT NOT NULL,
    before_whole   BIGINT NOT NULL,
    before_frac    BIGINT NOT NULL,
    after_whole    BIGINT NOT NULL,
    after_frac     BIGINT NOT NULL,
    odd_whole      BIGINT NOT NULL, -- shares that were paid for
    odd_frac       BIGINT NOT NULL,
    odd_cash_whole BIGINT NOT NULL,
    odd_cash_frac  BIGINT NOT NULL,
    gross_whole    BIGINT NOT NULL, -- the dividend
    gross_frac     BIGINT NOT NULL,
    withheld_whole BIGINT NOT NULL,
    withheld_frac  BIGINT NOT NULL
);
CREATE INDEX applied_actions_of ON applied_actions (account, lsn);

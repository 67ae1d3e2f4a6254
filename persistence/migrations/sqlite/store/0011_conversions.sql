-- Conversions, and balances that were converted as dust.
CREATE TABLE conversions (
    lsn INTEGER NOT NULL, -- the record
    part INTEGER NOT NULL, -- which balance of dust, from 0
    account INTEGER NOT NULL,
    time_ns INTEGER NOT NULL,
    dust INTEGER NOT NULL, -- whether it was
    quoted INTEGER, -- when the quote was made
    from_asset INTEGER NOT NULL,
    from_seq INTEGER NOT NULL,
    from_price_whole INTEGER NOT NULL,
    from_price_frac INTEGER NOT NULL,
    amount_whole INTEGER NOT NULL,
    amount_frac INTEGER NOT NULL,
    to_asset INTEGER NOT NULL,
    to_seq INTEGER NOT NULL,
    to_price_whole INTEGER NOT NULL,
    to_price_frac INTEGER NOT NULL,
    to_amount_whole INTEGER NOT NULL,
    to_amount_frac INTEGER NOT NULL,
    fee_whole INTEGER NOT NULL,
    fee_frac INTEGER NOT NULL,
    off_ppm INTEGER NOT NULL, -- off the rate
    fee_ppm INTEGER NOT NULL, -- rate of the fee
    PRIMARY KEY (lsn, part)
) STRICT, WITHOUT ROWID;
CREATE INDEX conversions_of ON conversions (account, lsn, part);

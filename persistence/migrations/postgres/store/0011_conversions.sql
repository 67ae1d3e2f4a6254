-- Conversions, and balances that were converted as dust.
CREATE TABLE conversions (
    lsn BIGINT NOT NULL, -- the record
    part BIGINT NOT NULL, -- which balance of dust, from 0
    account BIGINT NOT NULL,
    time_ns BIGINT NOT NULL,
    dust BIGINT NOT NULL, -- whether it was
    quoted BIGINT, -- when the quote was made
    from_asset BIGINT NOT NULL,
    from_seq BIGINT NOT NULL,
    from_price_whole BIGINT NOT NULL,
    from_price_frac BIGINT NOT NULL,
    amount_whole BIGINT NOT NULL,
    amount_frac BIGINT NOT NULL,
    to_asset BIGINT NOT NULL,
    to_seq BIGINT NOT NULL,
    to_price_whole BIGINT NOT NULL,
    to_price_frac BIGINT NOT NULL,
    to_amount_whole BIGINT NOT NULL,
    to_amount_frac BIGINT NOT NULL,
    fee_whole BIGINT NOT NULL,
    fee_frac BIGINT NOT NULL,
    off_ppm BIGINT NOT NULL, -- off the rate
    fee_ppm BIGINT NOT NULL, -- rate of the fee
    PRIMARY KEY (lsn, part)
);
CREATE INDEX conversions_of ON conversions (account, lsn, part);

-- Seconds options. What is empty until an option ended is empty.
CREATE TABLE seconds_options (
    option_id         BIGINT NOT NULL PRIMARY KEY,
    account           BIGINT NOT NULL,
    asset             BIGINT NOT NULL,
    side              BIGINT NOT NULL,
    stake_whole       BIGINT NOT NULL,
    stake_frac        BIGINT NOT NULL,
    fee_whole         BIGINT NOT NULL,
    fee_frac          BIGINT NOT NULL,
    ratio_ppm         BIGINT NOT NULL, -- what a win brings, of the stake
    open_seq          BIGINT NOT NULL, -- tick at which it was opened
    open_price_whole  BIGINT NOT NULL,
    open_price_frac   BIGINT NOT NULL,
    opened_ns         BIGINT NOT NULL,
    expires_ns        BIGINT NOT NULL,
    settled_ns        BIGINT,
    result            BIGINT,
    close_seq         BIGINT, -- tick that decided, 0 when none did
    close_price_whole BIGINT,
    close_price_frac  BIGINT,
    paid_whole        BIGINT,
    paid_frac         BIGINT
);

CREATE INDEX seconds_options_of ON seconds_options (account, opened_ns, option_id);

-- Tickets: positions against the house. What is empty until a ticket ended is empty.
CREATE TABLE tickets (
    ticket            BIGINT NOT NULL PRIMARY KEY,
    account           BIGINT NOT NULL,
    contract          BIGINT NOT NULL,
    settle            BIGINT NOT NULL,
    direction         BIGINT NOT NULL,
    mode              BIGINT NOT NULL,
    lots              BIGINT NOT NULL, -- hundredths
    base_whole        BIGINT NOT NULL,
    base_frac         BIGINT NOT NULL,
    multiple          BIGINT NOT NULL,
    price_whole       BIGINT NOT NULL,
    price_frac        BIGINT NOT NULL,
    origin_whole      BIGINT NOT NULL, -- margin at opening
    origin_frac       BIGINT NOT NULL,
    fee_whole         BIGINT NOT NULL,
    fee_frac          BIGINT NOT NULL,
    insurance_whole   BIGINT NOT NULL, -- the insurance's part of the fee
    insurance_frac    BIGINT NOT NULL,
    take_profit_whole BIGINT,
    take_profit_frac  BIGINT,
    stop_loss_whole   BIGINT,
    stop_loss_frac    BIGINT,
    target_whole      BIGINT, -- the index that opens a limit ticket
    target_frac       BIGINT,
    margin_whole      BIGINT NOT NULL,
    margin_frac       BIGINT NOT NULL,
    nights_whole      BIGINT NOT NULL, -- fees of nights so far
    nights_frac       BIGINT NOT NULL,
    created_ns        BIGINT NOT NULL,
    opened_ns         BIGINT NOT NULL, -- 0 while it waits
    closed_ns         BIGINT,
    reason            BIGINT, -- none of one that was cancelled
    index_whole       BIGINT,
    index_frac        BIGINT,
    result_whole      BIGINT,
    result_frac       BIGINT,
    credit_whole      BIGINT,
    credit_frac       BIGINT,
    unsettled_whole   BIGINT, -- change of the results wallet
    unsettled_frac    BIGINT,
    deficit_whole     BIGINT, -- what its owner could not pay
    deficit_frac      BIGINT
);

CREATE INDEX tickets_of ON tickets (account, ticket);

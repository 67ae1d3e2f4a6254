-- What happened to users while they may have looked away.
CREATE TABLE messages (
    account      BIGINT NOT NULL,
    at_ns        BIGINT NOT NULL, -- the record's time; of fills that are told together, the beginning of that time
    kind         BIGINT NOT NULL,
    subject      BIGINT NOT NULL, -- of what, where a record tells the same of several things
    time_ns      BIGINT NOT NULL, -- when it happened last
    count        BIGINT NOT NULL, -- how often it happened
    market       BIGINT NOT NULL, -- 0 without one
    asset        BIGINT NOT NULL, -- 0 where the market says it
    detail       BIGINT NOT NULL,
    reference    BIGINT NOT NULL, -- the order, ticket, withdrawal or trader; 0 without one
    amount_whole BIGINT NOT NULL,
    amount_frac  BIGINT NOT NULL,
    other_whole  BIGINT NOT NULL,
    other_frac   BIGINT NOT NULL,
    PRIMARY KEY (account, at_ns, kind, subject)
);

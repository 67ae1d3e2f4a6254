-- What happened to users while they may have looked away.
CREATE TABLE messages (
    account      INTEGER NOT NULL,
    at_ns        INTEGER NOT NULL, -- the record's time; of fills that are told together, the beginning of that time
    kind         INTEGER NOT NULL,
    subject      INTEGER NOT NULL, -- of what, where a record tells the same of several things
    time_ns      INTEGER NOT NULL, -- when it happened last
    count        INTEGER NOT NULL, -- how often it happened
    market       INTEGER NOT NULL, -- 0 without one
    asset        INTEGER NOT NULL, -- 0 where the market says it
    detail       INTEGER NOT NULL,
    reference    INTEGER NOT NULL, -- the order, ticket, withdrawal or trader; 0 without one
    amount_whole INTEGER NOT NULL,
    amount_frac  INTEGER NOT NULL,
    other_whole  INTEGER NOT NULL,
    other_frac   INTEGER NOT NULL,
    PRIMARY KEY (account, at_ns, kind, subject)
) STRICT, WITHOUT ROWID;

-- Copy trading. Of a trader there is one row, as it is now: terms are empty when it is none any more.
CREATE TABLE traders (
    account   BIGINT NOT NULL PRIMARY KEY,
    asset     BIGINT,
    share_ppm BIGINT,
    time_ns   BIGINT NOT NULL
);

-- What happened to followers, a row a record. 1 follows or chose anew, 2 follows no more, 3 a ticket was not copied,
-- 4 a copy became an own ticket, 5 a share was settled; columns of other events are empty.
CREATE TABLE copy_events (
    lsn            BIGINT NOT NULL PRIMARY KEY,
    account        BIGINT NOT NULL,
    trader         BIGINT NOT NULL,
    time_ns        BIGINT NOT NULL,
    event          BIGINT NOT NULL,
    follow         BIGINT,
    kind           BIGINT, -- 1 multiple, 2 lots
    number         BIGINT, -- thousandths of a multiple, or lots
    share_ppm      BIGINT,
    detached       BIGINT, -- copies that became own tickets
    source         BIGINT, -- the trader's ticket
    reason         BIGINT, -- number of the refusal
    ticket         BIGINT,
    share_whole    BIGINT,
    share_frac     BIGINT,
    released_whole BIGINT,
    released_frac  BIGINT,
    mark_whole     BIGINT,
    mark_frac      BIGINT
);
CREATE INDEX copy_events_of ON copy_events (account, lsn);

-- Tickets that were closed as copies.
CREATE TABLE closed_copies (
    ticket         BIGINT NOT NULL PRIMARY KEY,
    account        BIGINT NOT NULL,
    trader         BIGINT NOT NULL,
    source         BIGINT NOT NULL, -- the trader's ticket
    follow         BIGINT NOT NULL,
    net_whole      BIGINT NOT NULL, -- what it brought after its costs
    net_frac       BIGINT NOT NULL,
    withheld_whole BIGINT NOT NULL,
    withheld_frac  BIGINT NOT NULL,
    time_ns        BIGINT NOT NULL
);
CREATE INDEX closed_copies_of ON closed_copies (account, ticket);

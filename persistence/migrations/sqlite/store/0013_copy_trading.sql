-- Copy trading. Of a trader there is one row, as it is now: terms are empty when it is none any more.
CREATE TABLE traders (
    account   INTEGER NOT NULL PRIMARY KEY,
    asset     INTEGER,
    share_ppm INTEGER,
    time_ns   INTEGER NOT NULL
) STRICT;

-- What happened to followers, a row a record. 1 follows or chose anew, 2 follows no more, 3 a ticket was not copied,
-- 4 a copy became an own ticket, 5 a share was settled; columns of other events are empty.
CREATE TABLE copy_events (
    lsn            INTEGER NOT NULL PRIMARY KEY,
    account        INTEGER NOT NULL,
    trader         INTEGER NOT NULL,
    time_ns        INTEGER NOT NULL,
    event          INTEGER NOT NULL,
    follow         INTEGER,
    kind           INTEGER, -- 1 multiple, 2 lots
    number         INTEGER, -- thousandths of a multiple, or lots
    share_ppm      INTEGER,
    detached       INTEGER, -- copies that became own tickets
    source         INTEGER, -- the trader's ticket
    reason         INTEGER, -- number of the refusal
    ticket         INTEGER,
    share_whole    INTEGER,
    share_frac     INTEGER,
    released_whole INTEGER,
    released_frac  INTEGER,
    mark_whole     INTEGER,
    mark_frac      INTEGER
) STRICT;
CREATE INDEX copy_events_of ON copy_events (account, lsn);

-- Tickets that were closed as copies.
CREATE TABLE closed_copies (
    ticket         INTEGER NOT NULL PRIMARY KEY,
    account        INTEGER NOT NULL,
    trader         INTEGER NOT NULL,
    source         INTEGER NOT NULL, -- the trader's ticket
    follow         INTEGER NOT NULL,
    net_whole      INTEGER NOT NULL, -- what it brought after its costs
    net_frac       INTEGER NOT NULL,
    withheld_whole INTEGER NOT NULL,
    withheld_frac  INTEGER NOT NULL,
    time_ns        INTEGER NOT NULL
) STRICT;
CREATE INDEX closed_copies_of ON closed_copies (account, ticket);

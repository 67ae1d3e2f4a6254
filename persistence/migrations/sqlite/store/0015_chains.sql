-- Addresses of accounts on chains, by their places among the keys.
CREATE TABLE addresses (
    chain   INTEGER NOT NULL,
    number  INTEGER NOT NULL, -- how many of the chain were assigned before it
    ring    INTEGER NOT NULL, -- the account key
    change  INTEGER NOT NULL,
    child   INTEGER NOT NULL,
    account INTEGER NOT NULL,
    time_ns INTEGER NOT NULL,
    PRIMARY KEY (chain, number),
    UNIQUE (chain, ring, change, child)
) STRICT;
CREATE INDEX addresses_of ON addresses (account, chain);

-- What came to them: final outputs, and small ones that were credited together.
CREATE TABLE deposits (
    lsn          INTEGER NOT NULL,
    n            INTEGER NOT NULL, -- which of those that the record tells
    chain        INTEGER NOT NULL,
    txid         TEXT,    -- empty of small ones together, as are the next two
    output       INTEGER,
    units        TEXT,    -- exactly, in the chain's smallest unit
    height       INTEGER NOT NULL,
    ring         INTEGER NOT NULL,
    change       INTEGER NOT NULL,
    child        INTEGER NOT NULL,
    account      INTEGER NOT NULL, -- whose address it is
    asset        INTEGER NOT NULL,
    amount_whole INTEGER NOT NULL,
    amount_frac  INTEGER NOT NULL,
    kind         INTEGER NOT NULL, -- 1 credited, 2 small, 3 a block's reward, 4 small ones together
    time_ns      INTEGER NOT NULL,
    PRIMARY KEY (lsn, n),
    UNIQUE (chain, txid, output)
) STRICT;
CREATE INDEX deposits_of ON deposits (account, lsn, n);

-- Addresses of accounts on chains, by their places among the keys.
CREATE TABLE addresses (
    chain   BIGINT NOT NULL,
    number  BIGINT NOT NULL, -- how many of the chain were assigned before it
    ring    BIGINT NOT NULL, -- the account key
    change  BIGINT NOT NULL,
    child   BIGINT NOT NULL,
    account BIGINT NOT NULL,
    time_ns BIGINT NOT NULL,
    PRIMARY KEY (chain, number),
    UNIQUE (chain, ring, change, child)
);
CREATE INDEX addresses_of ON addresses (account, chain);

-- What came to them: final outputs, and small ones that were credited together.
CREATE TABLE deposits (
    lsn          BIGINT NOT NULL,
    n            BIGINT NOT NULL, -- which of those that the record tells
    chain        BIGINT NOT NULL,
    txid         TEXT,    -- empty of small ones together, as are the next two
    output       BIGINT,
    units        TEXT,    -- exactly, in the chain's smallest unit
    height       BIGINT NOT NULL,
    ring         BIGINT NOT NULL,
    change       BIGINT NOT NULL,
    child        BIGINT NOT NULL,
    account      BIGINT NOT NULL, -- whose address it is
    asset        BIGINT NOT NULL,
    amount_whole BIGINT NOT NULL,
    amount_frac  BIGINT NOT NULL,
    kind         BIGINT NOT NULL, -- 1 credited, 2 small, 3 a block's reward, 4 small ones together
    time_ns      BIGINT NOT NULL,
    PRIMARY KEY (lsn, n),
    UNIQUE (chain, txid, output)
);
CREATE INDEX deposits_of ON deposits (account, lsn, n);

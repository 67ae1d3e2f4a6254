-- Withdrawals, as they are now.
CREATE TABLE withdrawals (
    withdrawal   BIGINT NOT NULL PRIMARY KEY,
    account      BIGINT NOT NULL,
    asset        BIGINT NOT NULL,
    number_whole BIGINT NOT NULL, -- what left the wallet
    number_frac  BIGINT NOT NULL,
    fee_whole    BIGINT NOT NULL,
    fee_frac     BIGINT NOT NULL,
    address      TEXT NOT NULL,
    inside       BIGINT,          -- whose address of ours it is
    flags        BIGINT NOT NULL, -- what is unusual about it, bits
    needed       BIGINT NOT NULL, -- people who have to agree
    requested_ns BIGINT NOT NULL,
    state        BIGINT NOT NULL, -- 1 pending, 2 approved, 3 planned, 4 signed, 5 done, 6 refused, 7 cancelled
    votes        BIGINT NOT NULL, -- people who agreed
    approved_ns  BIGINT,
    planned_ns   BIGINT,
    signed_ns    BIGINT,
    txid         TEXT,             -- the transaction that pays it, the last one that was signed
    ended_ns     BIGINT,
    reason       TEXT              -- why it was refused
);
CREATE INDEX withdrawals_of ON withdrawals (account, requested_ns, withdrawal);

-- Withdrawals, as they are now.
CREATE TABLE withdrawals (
    withdrawal   INTEGER NOT NULL PRIMARY KEY,
    account      INTEGER NOT NULL,
    asset        INTEGER NOT NULL,
    number_whole INTEGER NOT NULL, -- what left the wallet
    number_frac  INTEGER NOT NULL,
    fee_whole    INTEGER NOT NULL,
    fee_frac     INTEGER NOT NULL,
    address      TEXT NOT NULL,
    inside       INTEGER,          -- whose address of ours it is
    flags        INTEGER NOT NULL, -- what is unusual about it, bits
    needed       INTEGER NOT NULL, -- people who have to agree
    requested_ns INTEGER NOT NULL,
    state        INTEGER NOT NULL, -- 1 pending, 2 approved, 3 planned, 4 signed, 5 done, 6 refused, 7 cancelled
    votes        INTEGER NOT NULL, -- people who agreed
    approved_ns  INTEGER,
    planned_ns   INTEGER,
    signed_ns    INTEGER,
    txid         TEXT,             -- the transaction that pays it, the last one that was signed
    ended_ns     INTEGER,
    reason       TEXT              -- why it was refused
) STRICT;
CREATE INDEX withdrawals_of ON withdrawals (account, requested_ns, withdrawal);

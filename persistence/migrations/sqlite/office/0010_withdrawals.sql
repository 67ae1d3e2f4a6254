-- Where a user has coins paid out to. `mac` is made under the key in `office.key`, a file of its own, over everything else in the
-- row but its id: who writes here alone makes no address that is paid.
CREATE TABLE withdraw_addresses (
    id         INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    user       INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    asset      INTEGER NOT NULL,
    network    INTEGER NOT NULL,        -- the chain's number
    address    TEXT NOT NULL,           -- as explorers write it
    remark     TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    mac        BLOB NOT NULL,
    UNIQUE (user, network, address)
) STRICT;
-- Who switched the wait for new addresses off. No row: it is on.
CREATE TABLE withdraw_whitelists_off (
    user    INTEGER NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    from_ms INTEGER NOT NULL,           -- it is on before this
    mac     BLOB NOT NULL               -- as above
) STRICT;
-- Nothing is paid out before this; it only grows.
ALTER TABLE users ADD COLUMN withdrawals_paused_until_ms INTEGER NOT NULL DEFAULT 0;

-- One address of a network may be kept for each of the network's assets: tokens have the addresses of its coin.
CREATE TABLE withdraw_addresses_by_asset (
    id         INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    user       INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    asset      INTEGER NOT NULL,
    network    INTEGER NOT NULL,        -- the chain's number
    address    TEXT NOT NULL,           -- as explorers write it
    remark     TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    mac        BLOB NOT NULL,
    UNIQUE (user, asset, network, address)
) STRICT;
INSERT INTO withdraw_addresses_by_asset SELECT * FROM withdraw_addresses;
DROP TABLE withdraw_addresses;
ALTER TABLE withdraw_addresses_by_asset RENAME TO withdraw_addresses;

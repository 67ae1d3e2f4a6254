-- Keys of the programmatic API. A shared secret is sealed under the key in `office.key`, a file of its own; of an Ed25519
-- pair only the user's public half is here.
CREATE TABLE api_keys (
    id         INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    user       INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    label      TEXT NOT NULL,
    kind       INTEGER NOT NULL,        -- 0 HMAC-SHA256, 1 Ed25519
    name       TEXT NOT NULL UNIQUE,    -- what requests name the key by
    secret     BLOB NOT NULL,           -- kind 0: sealed; kind 1: the public key
    scopes     INTEGER NOT NULL,        -- 1 read, 2 trade, or their sum
    networks   TEXT NOT NULL,           -- addresses and networks from which it works, comma-separated; '': from anywhere
    created_ms INTEGER NOT NULL,
    used_ms    INTEGER                  -- when it was last used, within a minute
) STRICT;
CREATE INDEX api_keys_by_user ON api_keys (user, id);

-- What a user proves who they are with besides the password. The secret of an authenticator is sealed under the key in
-- `office.key`, a file of its own; of a recovery code only a MAC under that key is kept.
CREATE TABLE factors (
    id         INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    user       INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    kind       INTEGER NOT NULL,        -- 1 authenticator (TOTP)
    sealed     BLOB NOT NULL,
    label      TEXT NOT NULL,
    last_step  INTEGER NOT NULL,        -- the newest time step that was spent; it and those before are worth nothing
    created_ms INTEGER NOT NULL,
    confirmed  INTEGER NOT NULL         -- 0 being set up, which proves nothing; 1 in use
) STRICT;
CREATE INDEX factors_by_user ON factors (user, id);
CREATE TABLE recovery_codes (
    user    INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    digest  BLOB NOT NULL,
    used_ms INTEGER,                    -- NULL: not used
    PRIMARY KEY (user, digest)
) STRICT, WITHOUT ROWID;

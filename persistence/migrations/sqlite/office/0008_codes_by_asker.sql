-- A code belongs to who asked for it: an address, or a session. What others send or guess neither replaces nor voids it.
-- Codes live ten minutes: those of before this change are asked for again.
DROP TABLE codes;
CREATE TABLE codes (
    purpose     TEXT NOT NULL,
    destination TEXT NOT NULL,
    asker       TEXT NOT NULL,    -- 'address:…' of who is not logged in, 'session:…' otherwise
    code_hash   BLOB NOT NULL,    -- a MAC under the office's key
    created_ms  INTEGER NOT NULL,
    expires_ms  INTEGER NOT NULL,
    attempts    INTEGER NOT NULL, -- wrong ones of who asked
    strangers   INTEGER NOT NULL, -- wrong ones of all others together
    state       INTEGER NOT NULL, -- 0 sent, 1 verified, 2 used, 3 void after too many wrong attempts
    PRIMARY KEY (purpose, destination, asker)
) STRICT, WITHOUT ROWID;
CREATE INDEX codes_by_destination ON codes (destination);
CREATE INDEX codes_by_end ON codes (expires_ms);

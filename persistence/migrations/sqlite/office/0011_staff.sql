-- People who work at the exchange. A row is never removed: the audit and the journal name people by it.
CREATE TABLE staff (
    id            INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    name          TEXT NOT NULL UNIQUE,   -- small letters, digits, dots and dashes; never another person's
    role          TEXT NOT NULL,
    account       INTEGER,                -- the person's own account here: its cases are nothing for them
    password_hash TEXT,                   -- none before the enrolment
    created_ms    INTEGER NOT NULL,
    disabled_ms   INTEGER                 -- from when on nothing opens for them any more
) STRICT;
-- Codes with which somebody sets a password and a passkey, once. Only their digests.
CREATE TABLE staff_enrolments (
    code_hash  BLOB NOT NULL PRIMARY KEY,
    staff      INTEGER NOT NULL UNIQUE REFERENCES staff (id),
    expires_ms INTEGER NOT NULL
) STRICT;
CREATE TABLE staff_credentials (
    id           INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    staff        INTEGER NOT NULL REFERENCES staff (id),
    credential   BLOB NOT NULL UNIQUE,    -- what the authenticator calls it
    public_key   BLOB NOT NULL,           -- COSE
    counter      INTEGER NOT NULL,        -- of signatures; 0 of authenticators that do not count
    created_ms   INTEGER NOT NULL,
    last_used_ms INTEGER NOT NULL
) STRICT;
CREATE TABLE staff_sessions (
    token_hash   BLOB NOT NULL PRIMARY KEY,
    staff        INTEGER NOT NULL REFERENCES staff (id),
    created_ms   INTEGER NOT NULL,
    last_seen_ms INTEGER NOT NULL,
    ip           TEXT NOT NULL
) STRICT;
-- What one person proposes and another decides.
CREATE TABLE staff_cases (
    id              INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    kind            TEXT NOT NULL,
    subject         TEXT NOT NULL,
    state           INTEGER NOT NULL,     -- 1 proposed, 2 approved, 3 refused
    proposed_by     INTEGER NOT NULL REFERENCES staff (id),
    proposed_ms     INTEGER NOT NULL,
    proposed_reason TEXT NOT NULL,
    decided_by      INTEGER REFERENCES staff (id),
    decided_ms      INTEGER,
    decided_reason  TEXT,
    CHECK (decided_by IS NULL OR decided_by <> proposed_by OR state = 3)
) STRICT;
CREATE INDEX audit_by_subject ON audit (subject, id);

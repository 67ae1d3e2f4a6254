-- Paperwork: who may log in, with what, and what was sent to whom. This file is the only place where it is kept; it is
-- not rebuilt from the journal, so it has a backup of its own.
--
-- Times are milliseconds since the epoch, UTC.

CREATE TABLE users (
    id                INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, -- from 100,001; an account exists with its id
    email             TEXT UNIQUE COLLATE NOCASE,                 -- lower case
    area_code         TEXT,
    phone             TEXT,
    password_hash     TEXT NOT NULL,                              -- PHC string
    pay_password_hash TEXT,                                       -- PHC string; empty until it was set
    nickname          TEXT NOT NULL,
    signature         TEXT NOT NULL,
    avatar            TEXT NOT NULL,
    extension_code    TEXT NOT NULL UNIQUE,                       -- six of A-Z and 2-9
    inviter           INTEGER REFERENCES users (id),
    parents           TEXT NOT NULL,                              -- '/100001/100007/': the inviter's inviters first; '/' without
    status            INTEGER NOT NULL,                           -- 0 active, 1 locked
    created_ms        INTEGER NOT NULL,
    UNIQUE (area_code, phone),
    CHECK (email IS NOT NULL OR phone IS NOT NULL),
    CHECK ((area_code IS NULL) = (phone IS NULL))
) STRICT;
CREATE INDEX users_by_inviter ON users (inviter, id);
INSERT INTO sqlite_sequence (name, seq) VALUES ('users', 100000);

CREATE TABLE sessions (
    id           INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, -- what a user names it by; says nothing about the token
    token_hash   BLOB NOT NULL UNIQUE,                       -- SHA-256 of the token
    user         INTEGER NOT NULL REFERENCES users (id),
    created_ms   INTEGER NOT NULL,
    last_seen_ms INTEGER NOT NULL,
    expires_ms   INTEGER NOT NULL,
    ip           TEXT NOT NULL,
    agent        TEXT NOT NULL
) STRICT;
CREATE INDEX sessions_by_user ON sessions (user, last_seen_ms);

-- The one code of each purpose and destination. A new one replaces the old one.
CREATE TABLE codes (
    purpose     TEXT NOT NULL,
    destination TEXT NOT NULL,
    code_hash   BLOB NOT NULL, -- SHA-256
    created_ms  INTEGER NOT NULL,
    expires_ms  INTEGER NOT NULL,
    attempts    INTEGER NOT NULL,
    state       INTEGER NOT NULL, -- 0 sent, 1 verified, 2 used, 3 void after too many wrong attempts
    PRIMARY KEY (purpose, destination)
) STRICT, WITHOUT ROWID;

-- What was sent, for the limits on sending.
CREATE TABLE sends (
    id          INTEGER NOT NULL PRIMARY KEY,
    purpose     TEXT NOT NULL,
    destination TEXT NOT NULL,
    ip          TEXT NOT NULL,
    sent_ms     INTEGER NOT NULL
) STRICT;
CREATE INDEX sends_by_destination ON sends (destination, sent_ms);
CREATE INDEX sends_by_ip ON sends (ip, sent_ms);
CREATE INDEX sends_by_time ON sends (sent_ms);

CREATE TABLE watchlist (
    id         INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    user       INTEGER NOT NULL REFERENCES users (id),
    asset      INTEGER NOT NULL,
    market     INTEGER NOT NULL,
    created_ms INTEGER NOT NULL,
    UNIQUE (user, asset, market)
) STRICT;

-- Mails and texts that a development server does not really send.
CREATE TABLE outbox (
    id          INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    channel     TEXT NOT NULL,
    destination TEXT NOT NULL,
    subject     TEXT NOT NULL,
    body        TEXT NOT NULL,
    created_ms  INTEGER NOT NULL
) STRICT;

-- Who did what. Rows are chained by hash and never change.
CREATE TABLE audit (
    id         INTEGER NOT NULL PRIMARY KEY,
    created_ms INTEGER NOT NULL,
    actor      TEXT NOT NULL,
    action     TEXT NOT NULL,
    subject    TEXT NOT NULL,
    detail     TEXT NOT NULL,
    ip         TEXT NOT NULL,
    hash       BLOB NOT NULL -- SHA-256 of the hash before and of this row
) STRICT;
CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit
BEGIN
    SELECT RAISE(ABORT, 'audit rows are never changed');
END;
CREATE TRIGGER audit_is_not_removed BEFORE DELETE ON audit
BEGIN
    SELECT RAISE(ABORT, 'audit rows are never removed');
END;

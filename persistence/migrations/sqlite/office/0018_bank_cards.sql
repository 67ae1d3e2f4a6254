-- Bank cards of users: what they wrote about one, sealed under office.key. One of each kind.
CREATE TABLE bank_cards (
    user     INTEGER NOT NULL REFERENCES users (id),
    kind     INTEGER NOT NULL CHECK (kind IN (1, 2)), -- 1 domestic, 2 international
    sealed   BLOB NOT NULL,
    saved_ms INTEGER NOT NULL,
    PRIMARY KEY (user, kind)
) STRICT, WITHOUT ROWID;

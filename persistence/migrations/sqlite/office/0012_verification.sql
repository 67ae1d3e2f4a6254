-- What users send in to be verified. Names and numbers are sealed under office.key.
CREATE TABLE verifications (
    id              INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    user            INTEGER NOT NULL REFERENCES users (id),
    level           INTEGER NOT NULL CHECK (level IN (1, 2)), -- 1 name and number, 2 pictures
    state           INTEGER NOT NULL CHECK (state IN (1, 2, 3)), -- 1 waits, 2 passed, 3 failed
    id_type         INTEGER,              -- of level 1: 0 identity card, 1 passport, 2 driver's licence
    country         TEXT,                 -- of level 1: its dialling code
    sealed          BLOB,                 -- of level 1: name and number
    number_hash     BLOB,                 -- of level 1: a keyed hash of country, kind and number
    submitted_ms    INTEGER NOT NULL,
    reviewer        INTEGER REFERENCES staff (id),
    leased_until_ms INTEGER,              -- until when nobody else reviews it
    decided_by      INTEGER REFERENCES staff (id),
    decided_ms      INTEGER,
    reason          TEXT,                 -- why it failed, a word of a list
    note            TEXT,                 -- what the reviewer told the user
    done            INTEGER NOT NULL DEFAULT 0 -- the account has the tier of what passed
) STRICT;
CREATE UNIQUE INDEX verifications_open ON verifications (user, level) WHERE state IN (1, 2);
-- A document is one user's.
CREATE UNIQUE INDEX verifications_number ON verifications (number_hash) WHERE state IN (1, 2);
CREATE INDEX verifications_by_state ON verifications (state, id);
CREATE INDEX verifications_by_user ON verifications (user, id);
CREATE INDEX verifications_by_number ON verifications (number_hash);
-- What passed and is not the account's yet: asked once a minute.
CREATE INDEX verifications_to_do ON verifications (id) WHERE state = 2 AND done = 0;
-- Pictures that only reviewers see. The files lie in the data folder, each sealed under a key of its own, which is sealed here: a
-- file whose key is gone is erased.
CREATE TABLE private_files (
    name         TEXT NOT NULL PRIMARY KEY,
    user         INTEGER NOT NULL REFERENCES users (id),
    ending       TEXT NOT NULL,
    sealed_key   BLOB NOT NULL,
    verification INTEGER REFERENCES verifications (id), -- none before it was sent in
    side         TEXT,                    -- front or reverse
    created_ms   INTEGER NOT NULL
) STRICT;
CREATE INDEX private_files_by_verification ON private_files (verification);

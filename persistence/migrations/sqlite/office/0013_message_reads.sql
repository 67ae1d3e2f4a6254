-- Which messages somebody has read. Sources: 1 facts (the store's table of messages), 2 this office (audit, verifications),
-- 3 announcements.
CREATE TABLE message_reads (
    user    INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    source  INTEGER NOT NULL CHECK (source IN (1, 2, 3)),
    at_ns   INTEGER NOT NULL,
    kind    INTEGER NOT NULL,
    subject INTEGER NOT NULL,
    PRIMARY KEY (user, source, at_ns, kind, subject)
) STRICT, WITHOUT ROWID;
-- Everything up to this time was read at once.
CREATE TABLE message_marks (
    user   INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    source INTEGER NOT NULL CHECK (source IN (1, 2, 3)),
    at_ns  INTEGER NOT NULL,
    PRIMARY KEY (user, source)
) STRICT, WITHOUT ROWID;

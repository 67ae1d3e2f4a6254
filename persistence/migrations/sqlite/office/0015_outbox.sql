-- What is sent to users, until it was sent. A message is written in the transaction that causes it. Rows of before this step were a
-- demo's, whose codes lived ten minutes.
DROP TABLE outbox;
CREATE TABLE outbox (
    id          INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    channel     TEXT NOT NULL CHECK (channel IN ('mail', 'sms')),
    destination TEXT NOT NULL,
    lang        TEXT NOT NULL,
    subject     TEXT NOT NULL,
    sealed      BLOB,             -- the text, sealed under office.key; none any more once nobody will send it
    state       INTEGER NOT NULL CHECK (state IN (0, 1, 2, 3)), -- 0 waits, 1 sent, 2 failed, 3 shown in the dev mailbox instead
    attempts    INTEGER NOT NULL,
    next_ms     INTEGER NOT NULL, -- not sent before this
    error       TEXT NOT NULL,    -- of the last attempt; never what others wrote
    created_ms  INTEGER NOT NULL,
    expires_ms  INTEGER NOT NULL, -- not sent from this on
    done_ms     INTEGER,          -- since when it is sent or failed
    CHECK ((sealed IS NULL) = (state IN (1, 2))),
    CHECK ((done_ms IS NULL) = (state IN (0, 3)))
) STRICT;
CREATE INDEX outbox_waiting ON outbox (channel, next_ms) WHERE state = 0;
CREATE INDEX outbox_done ON outbox (done_ms) WHERE done_ms IS NOT NULL;

-- Conversations of users and visitors with people of the staff.
CREATE TABLE conversations (
    id         INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    user       INTEGER REFERENCES users (id),
    visitor    TEXT,                 -- who is not logged in: a name that was drawn; what proves it is not kept
    topic      INTEGER NOT NULL CHECK (topic IN (1, 2, 3)), -- 1 support, 2 loan, 3 repay
    lang       TEXT NOT NULL,
    state      INTEGER NOT NULL CHECK (state IN (1, 2, 3, 4)), -- 1 open, 2 waiting agent, 3 waiting user, 4 closed
    staff      INTEGER REFERENCES staff (id), -- who holds it
    opened_ms  INTEGER NOT NULL,
    waits_ms   INTEGER,              -- since when an answer of the staff is waited for
    moved_ms   INTEGER NOT NULL,     -- when something was said last
    closed_ms  INTEGER,
    user_read  INTEGER NOT NULL DEFAULT 0, -- the last message that each side has read
    staff_read INTEGER NOT NULL DEFAULT 0,
    stars      INTEGER CHECK (stars BETWEEN 1 AND 5),
    CHECK ((user IS NULL) <> (visitor IS NULL)),
    CHECK ((waits_ms IS NULL) = (state <> 2)),
    CHECK ((closed_ms IS NULL) = (state <> 4))
) STRICT;
-- Of a topic somebody has one that is not closed.
CREATE UNIQUE INDEX conversations_of_user ON conversations (user, topic) WHERE state < 4;
CREATE UNIQUE INDEX conversations_of_visitor ON conversations (visitor, topic) WHERE state < 4;
CREATE INDEX conversations_by_user ON conversations (user, id);
CREATE INDEX conversations_by_visitor ON conversations (visitor, id);
CREATE INDEX conversations_by_state ON conversations (state, moved_ms);
CREATE INDEX conversations_by_staff ON conversations (staff) WHERE state < 4;
CREATE INDEX conversations_by_closing ON conversations (closed_ms) WHERE state = 4;
CREATE TABLE chat_messages (
    id           INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    conversation INTEGER NOT NULL REFERENCES conversations (id),
    client_id    TEXT,               -- drawn by who sends it: what is sent twice is one message
    sender       INTEGER NOT NULL CHECK (sender IN (1, 2, 3)), -- 1 user or visitor, 2 agent, 3 system
    staff        INTEGER REFERENCES staff (id), -- which agent
    text         TEXT NOT NULL,      -- of the system: a key of its texts
    file         TEXT,               -- a picture's name among private_files
    created_ms   INTEGER NOT NULL,
    CHECK ((client_id IS NULL) = (sender = 3)),
    CHECK ((staff IS NULL) = (sender <> 2))
) STRICT;
CREATE INDEX chat_messages_in_order ON chat_messages (conversation, id);
CREATE UNIQUE INDEX chat_messages_once ON chat_messages (conversation, sender, client_id) WHERE client_id IS NOT NULL;
-- A picture may be part of a conversation instead of a verification.
ALTER TABLE private_files ADD COLUMN conversation INTEGER REFERENCES conversations (id);
CREATE INDEX private_files_by_conversation ON private_files (conversation) WHERE conversation IS NOT NULL;

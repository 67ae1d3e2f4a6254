-- Who wants to become a trader whom others follow. One row a user: a later application takes the place of the one before.
CREATE TABLE trader_applications (
    user       INTEGER NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    intro      TEXT NOT NULL,
    state      INTEGER NOT NULL, -- 1 applied, 2 approved, 3 refused
    reason     TEXT NOT NULL,    -- of whoever decided
    applied_ms INTEGER NOT NULL,
    decided_ms INTEGER
) STRICT;

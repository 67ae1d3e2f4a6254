-- Networks from which a user logged in of late: wrong passwords that others send delay nobody there.
CREATE TABLE known_networks (
    user    INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    network TEXT NOT NULL,    -- the first address of a /24 or, with IPv6, a /64
    seen_ms INTEGER NOT NULL, -- the last successful login from there
    PRIMARY KEY (user, network)
) STRICT, WITHOUT ROWID;

-- Addresses from which a user logged in of late, in place of networks: during a delay that wrong passwords of others brought
-- about, the right password opens from there. A neighbour in the same network is a stranger.
CREATE TABLE known_addresses (
    user    INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    address TEXT NOT NULL,    -- of IPv4 whole; with IPv6 the first address of a /56, which is what one household has
    seen_ms INTEGER NOT NULL, -- the last successful login from there
    PRIMARY KEY (user, address)
) STRICT, WITHOUT ROWID;

-- Of the logins so far those are known whose sessions are still there; the /56 of an IPv6 address is not cut out here.
INSERT INTO known_addresses (user, address, seen_ms)
SELECT user, ip, max(created_ms) FROM sessions WHERE ip NOT LIKE '%:%' GROUP BY user, ip;

DROP TABLE known_networks;

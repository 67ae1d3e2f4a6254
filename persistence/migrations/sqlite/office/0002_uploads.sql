-- Bytes of files that each user has stored, for the quota. Files are never taken back, so this only grows.
CREATE TABLE uploads (
    user  INTEGER NOT NULL PRIMARY KEY REFERENCES users (id),
    bytes INTEGER NOT NULL
) STRICT;

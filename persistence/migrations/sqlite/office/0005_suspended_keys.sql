-- A key that may trade is of no use after its user's password was reset, until the user confirms it.
ALTER TABLE api_keys ADD COLUMN suspended INTEGER NOT NULL DEFAULT 0; -- 0 no, 1 yes

-- Orders that wait for a price, are in a list, or show a part of themselves; NULL where an order is none of that. `stp`: what
-- happens when an order meets its owner's own. What was placed before has the mode that is usual, 1.
ALTER TABLE orders ADD COLUMN stp INTEGER NOT NULL DEFAULT 1;
ALTER TABLE orders ADD COLUMN iceberg_lots INTEGER;
ALTER TABLE orders ADD COLUMN trigger_kind INTEGER;
ALTER TABLE orders ADD COLUMN trigger_ticks INTEGER;
ALTER TABLE orders ADD COLUMN trail_bips INTEGER;
-- What a waiting order locks; units of 1e-8 of the asset that its side pays with.
ALTER TABLE orders ADD COLUMN waiting_lock_whole INTEGER;
ALTER TABLE orders ADD COLUMN waiting_lock_frac INTEGER;
ALTER TABLE orders ADD COLUMN list_id INTEGER;
-- When it came to the book, if that was not when it was taken; 0 while it waits.
ALTER TABLE orders ADD COLUMN working_ns INTEGER;

-- Two orders of which one cancels the other; named after the first.
CREATE TABLE order_lists (
    list_id    INTEGER NOT NULL PRIMARY KEY,
    account    INTEGER NOT NULL,
    market     INTEGER NOT NULL,
    other      INTEGER NOT NULL, -- the second order
    client_id  TEXT,
    created_ns INTEGER NOT NULL
) STRICT;
CREATE INDEX order_lists_by_account ON order_lists (account, created_ns, list_id);

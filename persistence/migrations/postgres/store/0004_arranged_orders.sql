-- Orders that wait for a price, are in a list, or show a part of themselves; NULL where an order is none of that. `stp`: what
-- happens when an order meets its owner's own. What was placed before has the mode that is usual, 1.
ALTER TABLE orders ADD COLUMN stp BIGINT NOT NULL DEFAULT 1;
ALTER TABLE orders ADD COLUMN iceberg_lots BIGINT;
ALTER TABLE orders ADD COLUMN trigger_kind BIGINT;
ALTER TABLE orders ADD COLUMN trigger_ticks BIGINT;
ALTER TABLE orders ADD COLUMN trail_bips BIGINT;
-- What a waiting order locks; units of 1e-8 of the asset that its side pays with.
ALTER TABLE orders ADD COLUMN waiting_lock_whole BIGINT;
ALTER TABLE orders ADD COLUMN waiting_lock_frac BIGINT;
ALTER TABLE orders ADD COLUMN list_id BIGINT;
-- When it came to the book, if that was not when it was taken; 0 while it waits.
ALTER TABLE orders ADD COLUMN working_ns BIGINT;

-- Two orders of which one cancels the other; named after the first.
CREATE TABLE order_lists (
    list_id    BIGINT NOT NULL PRIMARY KEY,
    account    BIGINT NOT NULL,
    market     BIGINT NOT NULL,
    other      BIGINT NOT NULL, -- the second order
    client_id  TEXT,
    created_ns BIGINT NOT NULL
);
CREATE INDEX order_lists_by_account ON order_lists (account, created_ns, list_id);

-- Orders of contracts' books that wait for a price: by which price, 1 the mark and 2 the last trade; what it waits for; NULL
-- where an order waited for none.
ALTER TABLE leg_orders ADD COLUMN working BIGINT;
ALTER TABLE leg_orders ADD COLUMN trigger_kind BIGINT;
ALTER TABLE leg_orders ADD COLUMN trigger_ticks BIGINT;
ALTER TABLE leg_orders ADD COLUMN trail_bips BIGINT;
ALTER TABLE leg_orders ADD COLUMN close_position BIGINT;

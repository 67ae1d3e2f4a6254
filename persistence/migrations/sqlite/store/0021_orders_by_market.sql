-- Looks at a market as a whole: which of the last day's orders other parameters would have refused.
CREATE INDEX orders_by_market ON orders (market, created_ns, order_id);

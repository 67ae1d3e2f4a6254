-- Lists whose first order brings the others when it is filled: `kind` 2; a list of two orders that cancel each other: 1.
ALTER TABLE order_lists ADD COLUMN kind INTEGER NOT NULL DEFAULT 1;
ALTER TABLE order_lists ADD COLUMN third INTEGER; -- the third order, if there is one

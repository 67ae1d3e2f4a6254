-- The last row of the ledger that the checkpoint stands for: the next one's number comes from here, so numbers have no gaps
-- and are the same in every store of the same journal.
ALTER TABLE checkpoint ADD COLUMN ledger_id INTEGER NOT NULL DEFAULT 0;
UPDATE checkpoint SET ledger_id = (SELECT coalesce(max(id), 0) FROM ledger);

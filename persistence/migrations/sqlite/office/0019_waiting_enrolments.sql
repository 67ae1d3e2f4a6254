-- What the operator's tool opens alone, once two owners have enrolled, opens nothing before its time.
ALTER TABLE staff_enrolments ADD COLUMN opens_ms INTEGER NOT NULL DEFAULT 0;
ALTER TABLE staff_enrolments ADD COLUMN alone INTEGER NOT NULL DEFAULT 0;
-- The owners who agreed, else none: it ends when one of them leaves or enrols anew.
ALTER TABLE staff_enrolments ADD COLUMN proposed_by INTEGER REFERENCES staff (id);
ALTER TABLE staff_enrolments ADD COLUMN decided_by INTEGER REFERENCES staff (id);

-- What came of cases that were approved, of those kinds that are carried out at a time of their own.
CREATE TABLE staff_case_outcomes (
    staff_case INTEGER NOT NULL PRIMARY KEY REFERENCES staff_cases (id),
    outcome    TEXT NOT NULL,
    at_ms      INTEGER NOT NULL
) STRICT;
